import { cite, citeAt, type Source } from './evidence.ts';
import { at, keysOf, listOf, stringOf } from './json.ts';
import type { Evidence } from './lane.ts';
import type { Project } from './project.ts';

/** One line of a Procfile. */
export interface ProcessLine {
  readonly name: string;
  readonly command: string;
  readonly role: 'web' | 'worker' | 'cron' | 'release';
  readonly evidence: Evidence;
}

const MOST_LINES = 20;

/** The processes a Procfile, fly.toml or render.yaml of the project declares. */
export function readProcesses(project: Project): readonly ProcessLine[] {
  if (!project.has('Procfile')) return [...flyProcesses(project), ...renderProcesses(project)];
  return linesOf(project.source('Procfile'));
}

function linesOf(source: Source): readonly ProcessLine[] {
  const matches = [...source.text.matchAll(/^([A-Za-z0-9_-]+):[ \t]*(\S.*)$/gm)];
  return matches.slice(0, MOST_LINES).map((match) => {
    const name = match[1] ?? '';
    const command = (match[2] ?? '').trim();
    return {
      name,
      command,
      role: roleOf(name),
      evidence: citeAt('start', command, source, match.index, 'procfile'),
    };
  });
}

function roleOf(name: string): ProcessLine['role'] {
  if (/^(web|api|server|app|http)$/i.test(name)) return 'web';
  if (/^release$/i.test(name)) return 'release';
  if (/^(clock|cron|scheduler|beat|celery-?beat)$/i.test(name)) return 'cron';
  return 'worker';
}

function flyProcesses(project: Project): readonly ProcessLine[] {
  const table = at(project.data('fly.toml'), 'processes');
  return keysOf(table).flatMap((name) =>
    lineOf(
      project.source('fly.toml'),
      name,
      stringOf(at(table, name)),
      roleOf(name),
      'fly-processes',
    ),
  );
}

/** Workers and scheduled jobs only: a web service's command is read with the other platform hints. */
function renderProcesses(project: Project): readonly ProcessLine[] {
  const file = ['render.yaml', 'render.yml'].find((name) => project.has(name)) ?? 'render.yaml';
  return listOf(at(project.data(file), 'services')).flatMap((service) => {
    const type = stringOf(at(service, 'type'));
    if (type !== 'worker' && type !== 'cron') return [];
    if ((stringOf(at(service, 'rootDir')) ?? '.') !== '.') return [];
    const name = stringOf(at(service, 'name')) ?? type;
    const command = stringOf(at(service, 'startCommand'));
    return lineOf(project.source(file), name, command, type, 'render-yaml');
  });
}

function lineOf(
  source: Source,
  name: string,
  command: string | undefined,
  role: ProcessLine['role'],
  rule: string,
): readonly ProcessLine[] {
  if (command === undefined || command.trim() === '') return [];
  return [{ name, command, role, evidence: cite('start', command, source, name, rule) }];
}
