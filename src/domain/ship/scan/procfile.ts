import { citeAt, type Source } from './evidence.ts';
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

export function readProcfile(project: Project): readonly ProcessLine[] {
  if (!project.has('Procfile')) return [];
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
