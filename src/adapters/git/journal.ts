import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { thisProcess } from './process-identity.ts';

/** What an `advance` was doing to one checkout, written before it touches anything. */
const Entry = z.object({
  token: z.string().regex(/^[0-9a-f]{16}$/),
  /** What our git processes are marked with while they move this and other checkouts. */
  mark: z.string(),
  path: z.string(),
  gitDir: z.string(),
  branch: z.string(),
  from: z.string(),
  to: z.string(),
  /** Whether files may have been written; before that there is nothing to undo. */
  phase: z.enum(['checking', 'moving']),
  process: z.object({ pid: z.int(), startTime: z.string().nullable() }),
});
export type JournalEntry = z.infer<typeof Entry>;

/** Landings that may have been cut short. */
export type Journal = {
  begin(move: Omit<JournalEntry, 'token' | 'process' | 'phase'>): Promise<JournalEntry>;
  moving(entry: JournalEntry): Promise<JournalEntry>;
  end(entry: JournalEntry): Promise<void>;
  open(): Promise<JournalEntry[]>;
  /** The index the checkout shall have afterwards. */
  indexOf(entry: JournalEntry): string;
};

export function landingJournal(home: string): Journal {
  const folder = join(home, 'landing');
  const recordOf = ({ token }: JournalEntry): string => join(folder, `${token}.json`);
  const indexOf = ({ token }: JournalEntry): string => join(folder, `${token}.index`);
  const save = async (entry: JournalEntry): Promise<JournalEntry> => {
    await mkdir(folder, { recursive: true });
    await writeFile(`${recordOf(entry)}.draft`, JSON.stringify(entry));
    await rename(`${recordOf(entry)}.draft`, recordOf(entry));
    return entry;
  };
  return {
    indexOf,
    begin: async (move) => {
      const token = randomBytes(8).toString('hex');
      return save({ ...move, token, phase: 'checking', process: await thisProcess() });
    },
    moving: (entry) => save({ ...entry, phase: 'moving' }),
    end: async (entry) => {
      await rm(indexOf(entry), { force: true });
      await rm(`${indexOf(entry)}.lock`, { force: true });
      await rm(`${indexOf(entry)}.undo`, { force: true });
      await rm(recordOf(entry), { force: true });
    },
    open: async () => {
      const names = (await readdir(folder).catch(() => [])).filter((name) =>
        name.endsWith('.json'),
      );
      const read = await Promise.all(names.map((name) => readEntry(join(folder, name))));
      return read.filter((entry) => entry !== null);
    },
  };
}

async function readEntry(file: string): Promise<JournalEntry | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : Entry.parse(JSON.parse(text));
}

const lockOf = ({ gitDir }: JournalEntry): string => join(gitDir, 'index.lock');
const contentOf = ({ token }: JournalEntry): string => `convoy ${token}\n`;

/** Takes git's own lock on the checkout's index, with our name in it. */
export async function lockIndex(entry: JournalEntry): Promise<boolean> {
  const draft = `${lockOf(entry)}.${entry.token}`;
  await writeFile(draft, contentOf(entry));
  try {
    await link(draft, lockOf(entry));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

export async function holdsIndexLock(entry: JournalEntry): Promise<boolean> {
  const text = await readFile(lockOf(entry), 'utf8').catch(() => null);
  return text === contentOf(entry);
}

export async function unlockIndex(entry: JournalEntry): Promise<void> {
  if (await holdsIndexLock(entry)) await rm(lockOf(entry), { force: true });
}

/** Replaces the index and gives the lock up, in that order, so that nobody sees it unlocked and old. */
export async function publishIndex(entry: JournalEntry, index: string): Promise<void> {
  const draft = join(entry.gitDir, `index.convoy-${entry.token}`);
  await writeFile(draft, await readFile(index));
  await rename(draft, join(entry.gitDir, 'index'));
  await unlockIndex(entry);
}
