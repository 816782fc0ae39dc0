import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';

/**
 * One directory of the pool, as recorded beside it.
 *
 *   claimed ──► ready ──► free ──► claimed …
 *
 * A claimed slot may be half made: whoever owns it makes it again from the start.
 */
const Slot = z.object({
  name: z.string().regex(/^wt-\d+$/),
  state: z.enum(['claimed', 'ready', 'free']),
  purpose: z.enum(['attempt', 'verify']),
  owner: z.string().nullable(),
  branch: z.string().nullable(),
  /** Null until git knows the worktree. */
  gitDir: z.string().nullable(),
  reused: z.boolean(),
  keep: z.array(z.string()),
  /** What the set-up command was last run for. */
  prepared: z.string().nullable(),
  /** The commit whose files a free slot holds, made ready ahead of its next user; null when unknown. */
  at: z.string().nullable().default(null),
});
export type Slot = z.infer<typeof Slot>;

export type SlotStore = {
  readonly home: string;
  all(): Promise<Slot[]>;
  save(slot: Slot): Promise<void>;
  forget(slot: Slot): Promise<void>;
  pathOf(slot: Pick<Slot, 'name'>): string;
  /** Where our own copy of the slot's index is kept. */
  indexOf(slot: Pick<Slot, 'name'>): string;
};

export function slotStore(home: string): SlotStore {
  const records = join(home, 'slots');
  const recordOf = (slot: Pick<Slot, 'name'>): string => join(records, `${slot.name}.json`);
  return {
    home,
    pathOf: (slot) => join(home, slot.name),
    indexOf: (slot) => join(records, `${slot.name}.index`),
    all: async () =>
      namesIn(records)
        .filter((name) => /^wt-\d+\.json$/.test(name))
        .map((name) => readSlot(join(records, name)))
        .filter((slot) => slot !== null)
        .toSorted((a, b) => numberOf(a) - numberOf(b)),
    save: async (slot) => {
      const text = Buffer.from(JSON.stringify(slot));
      if (overwrite(recordOf(slot), text)) return;
      mkdirSync(records, { recursive: true });
      const draft = join(records, `.${slot.name}.${randomBytes(6).toString('hex')}`);
      writeFileSync(draft, text);
      renameSync(draft, recordOf(slot));
    },
    forget: async (slot) => {
      rmSync(recordOf(slot), { force: true });
      rmSync(join(records, `${slot.name}.index`), { force: true });
      rmSync(join(records, `${slot.name}.index.at`), { force: true });
    },
  };
}

/** Our copy of the index of a worktree, which is one of these. */
export const indexOf = (slots: SlotStore, { path }: { readonly path: string }): string =>
  slots.indexOf({ name: basename(path) });

/** The lowest number nobody has. */
export function freshName(slots: readonly Slot[]): string {
  const used = new Set(slots.map(numberOf));
  let number = 1;
  while (used.has(number)) number += 1;
  return `wt-${number}`;
}

const numberOf = (slot: Slot): number => Number(slot.name.slice('wt-'.length));

/** Without waiting, here and above: a hundred small files are quicker than a hundred turns of the loop. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Writes a record over the one that is there: a pool in use does so several times a second for each worktree, and
 * a new file costs many times as much. One write within one block is there whole or not at all, whenever we are
 * killed; blanks cover what is left of a longer one. False where there is none yet, or where either takes more than a block.
 */
function overwrite(file: string, text: Buffer): boolean {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch {
    return false;
  }
  try {
    const size = Math.max(text.length, fstatSync(fd).size);
    if (size > BLOCK) return false;
    const whole = Buffer.alloc(size, ' ');
    text.copy(whole);
    return writeSync(fd, whole, 0, size, 0) === size;
  } finally {
    closeSync(fd);
  }
}

const BLOCK = 4096;

/** A damaged record counts as none: its directory is made again when the number is next used. */
function readSlot(file: string): Slot | null {
  // Another process may be writing over it just now: that takes no longer than reading it again.
  for (let look = 0; look < LOOKS; look += 1) {
    try {
      return Slot.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (error instanceof Error && 'code' in error) return null;
    }
  }
  return null;
}

const LOOKS = 3;
