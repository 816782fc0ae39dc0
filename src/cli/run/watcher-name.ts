import { userInfo } from 'node:os';

/** Who is told: the name given, else the login. */
export function watcherName(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return named ?? (env['USER'] || env['USERNAME'] || login());
}

function login(): string {
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the user database has no name.
    return 'operator';
  }
}
