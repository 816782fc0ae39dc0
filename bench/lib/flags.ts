/** The word after `--name` on the command line. */
export function flag(name: string): string | undefined {
  const place = process.argv.indexOf(`--${name}`);
  return place === -1 ? undefined : process.argv[place + 1];
}

export const numberFlag = (name: string, otherwise: number): number =>
  Number(flag(name) ?? otherwise);
