import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';

/** The text of a file, or of standard input for `-`. */
export async function readInput(
  { stdin, cwd }: Pick<CommandContext, 'stdin' | 'cwd'>,
  file: string,
): Promise<string> {
  if (file === '-') {
    const parts: Buffer[] = [];
    for await (const part of stdin) parts.push(Buffer.from(part));
    return Buffer.concat(parts).toString('utf8');
  }
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new Stop({
      kind: 'not_found',
      code: 'file_not_found',
      message: `${file} cannot be read.`,
      cause: error instanceof Error ? error.message : String(error),
      remedy: 'Check the path; - reads standard input.',
    });
  }
}
