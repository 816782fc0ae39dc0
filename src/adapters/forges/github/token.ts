import { execFile } from 'node:child_process';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The token to use: the given one, else what `gh` is logged in with. Asked each time a forge is opened,
 * so that a login takes effect without a restart; it is kept nowhere.
 */
export async function tokenFor(
  host: string,
  given: string | null,
  env: Variables,
): Promise<string | null> {
  if (given !== null) return given;
  // `--hostname` of an old gh takes no port.
  const args = ['auth', 'token', '--hostname', host.replace(/:\d+$/, '')];
  const said = await new Promise<string>((resolve) => {
    execFile('gh', args, { env: { ...env }, timeout: 10_000 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    );
  });
  return /^[\x21-\x7e]{8,}$/.test(said) ? said : null;
}
