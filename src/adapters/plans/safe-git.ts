import { execFile } from 'node:child_process';

/** One look at a repository, or one clone; git is started here and nowhere else in this room. */
export type GitText = { readonly code: number; readonly stdout: string; readonly stderr: string };
type GitBytes = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

export type GitCall = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly network?: boolean;
  /** Settings whose keys may hold anything, which `-c` could not carry. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  readonly timeoutMs?: number;
  readonly input?: string | Buffer;
};

const MOST_BYTES = 64 * 1024 * 1024;
const LOCAL_MS = 60_000;

/** Starts git without prompts, hooks, monitors and, unless asked for, without any transport. */
export async function safeGit(call: GitCall, env: NodeJS.ProcessEnv): Promise<GitText> {
  const { stdout, ...rest } = await safeGitBytes(call, env);
  return { ...rest, stdout: stdout.toString('utf8') };
}

export function safeGitBytes(call: GitCall, env: NodeJS.ProcessEnv): Promise<GitBytes> {
  const argv = [...SAFE, ...transports(call.network ?? false), ...call.args];
  return new Promise((resolve) => {
    const child = execFile(
      'git',
      argv,
      {
        cwd: call.cwd,
        env: environment(call, env),
        encoding: 'buffer',
        maxBuffer: MOST_BYTES,
        timeout: call.timeoutMs ?? LOCAL_MS,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        const said = stderr.toString('utf8');
        resolve({
          code: codeOf(error),
          stdout,
          stderr: said === '' ? (error?.message ?? '') : said,
        });
      },
    );
    // Git may end before it has read everything; its exit says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(call.input);
  });
}

function codeOf(error: (Error & { code?: string | number | null }) | null): number {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : 128;
}

const SAFE = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting]);

function transports(network: boolean): string[] {
  const allowed = network ? ['https', 'http', 'ssh', 'git'] : [];
  return [
    'protocol.allow=never',
    ...allowed.map((name) => `protocol.${name}.allow=always`),
  ].flatMap((setting) => ['-c', setting]);
}

function environment(
  { network, settings = [] }: GitCall,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  // A global config may name programs too; only a remote needs what it says of credentials.
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('GIT_') || (network === true && name === 'GIT_CONFIG_GLOBAL'),
  );
  return {
    ...Object.fromEntries(kept),
    ...(network === true ? {} : { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }),
    ...(network === true ? { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' } : {}),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}
