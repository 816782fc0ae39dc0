import { doctor } from '../../contract/routes/system.ts';
import { ok } from '../../lib/result.ts';
import type { Settings } from '../../ports/settings.ts';
import { agentCheck } from '../../ports/missing-agent.ts';
import { reads, type Services } from '../context.ts';
import { isRepository } from '../git-facts.ts';

type Check = {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  fix: string | null;
};

const fine = (name: string, message: string): Check => ({ name, status: 'ok', message, fix: null });
const LEAST_DISK = 1024 ** 3;
const OLDEST_GIT = [2, 38] as const;

/** Looks at tools, configuration, ledger, disk and leftovers; each problem comes with its fix. */
export const doctorNow = reads(doctor, async (_, services) => {
  const settings = services.settings.read();
  const checks: Check[] = [
    node(services),
    await git(services),
    settings.ok
      ? fine('config', services.settings.path)
      : {
          name: 'config',
          status: 'problem',
          message: settings.error.message,
          fix: settings.error.remedy ?? 'convoy config edit',
        },
    await ledger(services),
    await disk(services),
    ...(settings.ok ? await repos(services, settings.value) : []),
    ...(settings.ok ? agents(services, settings.value) : []),
  ];
  return ok({ ok: checks.every(({ status }) => status !== 'problem'), checks });
});

function node({ machine }: Services): Check {
  const major = Number(machine.nodeVersion.replace(/^v/, '').split('.')[0]);
  return major >= 24
    ? fine('node', machine.nodeVersion)
    : {
        name: 'node',
        status: 'problem',
        message: `${machine.nodeVersion} is too old`,
        fix: 'Install Node 24 or newer, or run npm install in the checkout, which brings one.',
      };
}

async function git({ machine }: Services): Promise<Check> {
  const found = await machine.version(['git', '--version']);
  if (!found.found)
    return {
      name: 'git',
      status: 'problem',
      message: found.why,
      fix: 'Install git 2.38 or newer.',
    };
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(found.text)?.slice(1) ?? []).map(Number);
  const isOld = major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]);
  return isOld
    ? {
        name: 'git',
        status: 'problem',
        message: `${found.text} cannot merge without a checkout`,
        fix: 'Install git 2.38 or newer.',
      }
    : fine('git', found.text);
}

async function ledger({ ledger: { db, engine, location } }: Services): Promise<Check> {
  const row = await db
    .selectFrom('event')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return fine('ledger', `${engine} at ${location}, ${row.count} events`);
}

async function disk({ machine, workspace }: Services): Promise<Check> {
  const free = await machine.freeBytes(workspace.dir);
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  return free < LEAST_DISK
    ? {
        name: 'disk',
        status: 'problem',
        message: text,
        fix: 'Free some space: worktrees and logs need it.',
      }
    : fine('disk', text);
}

async function repos(services: Services, settings: Settings): Promise<Check[]> {
  const entries = Object.entries(settings.repos);
  if (entries.length === 0)
    return [
      {
        name: 'repos',
        status: 'warning',
        message: 'no repository is registered',
        fix: 'convoy repo add <path>',
      },
    ];
  return Promise.all(
    entries.map(async ([name, repo]): Promise<Check> => {
      if (repo.source.kind === 'url') return fine(`repo ${name}`, repo.source.url);
      const { path } = repo.source;
      if (!(await isRepository(services.repositories, path)))
        return {
          name: `repo ${name}`,
          status: 'problem',
          message: `${path} is not a git repository`,
          fix: `convoy repo set ${name} path=<path>, or convoy repo remove ${name}`,
        };
      if (repo.gates.length === 0)
        return {
          name: `repo ${name}`,
          status: 'warning',
          message: 'no gate: nothing tests the merged tree',
          fix: `Add [[repos.${name}.gates]] to config.toml.`,
        };
      return fine(`repo ${name}`, path);
    }),
  );
}

function agents({ machine }: Services, settings: Settings): Check[] {
  const missing = agentCheck(settings, machine);
  const names = Object.keys(settings.agents);
  if (names.length === 0)
    return [
      {
        name: 'agents',
        status: 'warning',
        message: 'no agent is configured',
        fix: 'Add [agents.<name>] to config.toml, for example with preset = "claude".',
      },
    ];
  return names.map((name) => {
    const why = missing(name);
    return why === null
      ? fine(`agent ${name}`, settings.agents[name]?.adapter ?? '')
      : {
          name: `agent ${name}`,
          status: 'warning',
          message: why,
          fix: `Install it, or change [agents.${name}].`,
        };
  });
}
