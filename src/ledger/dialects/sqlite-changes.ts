import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Changes, changesFrom } from '../changes.ts';
import { type Bell, type HangBell, walBell } from './wal-bell.ts';

export type Pace = {
  /** Between two looks where nothing rings, and the most between two looks after a ring. */
  readonly oftenMs: number;
  /** Between two looks while the bell can be trusted and has not rung. */
  readonly seldomMs: number;
  /** How long after a ring a commit may still be on its way to the disk. */
  readonly afterRingMs: number;
};

const PACE: Pace = { oftenMs: 50, seldomMs: 500, afterRingMs: 500 };
const FIRST_STEP_MS = 5;

/**
 * Notices what other processes commit. The write-ahead log rings when it is written, which is
 * before the commit can be read: the disk comes in between. So a ring makes us look at SQLite's
 * change counter, and again in growing steps; without a ring we look seldom, and only in case. A bell
 * that stayed silent through a change is not trusted until it rings again.
 */
export function sqliteChanges(file: string, pace = PACE, hang: HangBell = walBell): Changes {
  // Nobody else can reach it.
  if (file === ':memory:') return changesFrom(() => () => {});
  let lookout: Lookout | null = null;
  const changes = changesFrom((wake) => {
    lookout ??= new Lookout(file, pace, hang);
    lookout.start(wake);
    return () => lookout?.pause();
  });
  return {
    ...changes,
    async quietly(work) {
      try {
        return await work();
      } finally {
        lookout?.passOver();
      }
    },
    close: async () => {
      await changes.close();
      lookout?.close();
      lookout = null;
    },
  };
}

type Seen = { readonly version: unknown; readonly newest: unknown };

const NOTHING: Seen = { version: null, newest: null };

class Lookout {
  readonly #db: DatabaseSync;
  readonly #version: StatementSync;
  readonly #newest: StatementSync;
  readonly #pace: Pace;
  #bell: Bell | null;
  #wake: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #seen = NOTHING;
  #rangAt = performance.now();
  #step = FIRST_STEP_MS;
  /** False after a change without a ring. */
  #isTrusted = true;

  constructor(file: string, pace: Pace, hang: HangBell) {
    this.#db = new DatabaseSync(file, { readOnly: true });
    this.#version = this.#db.prepare('pragma data_version');
    this.#newest = this.#db.prepare('select max(seq) as seq from event');
    this.#pace = pace;
    this.#bell = hang(
      file,
      () => this.#ring(),
      () => this.#dropBell(),
    );
  }

  /** What was committed until now is known to whoever waits: it reads afterwards. */
  start(wake: () => void): void {
    this.#wake = wake;
    this.#seen = this.#read(NOTHING);
    this.#lookLater();
  }

  pause(): void {
    this.#wake = null;
    clearTimeout(this.#timer);
  }

  /** The latest commit is our own and no news, unless an event has come in as well. */
  passOver(): void {
    if (this.#wake === null) return;
    const { newest } = this.#seen;
    this.#seen = this.#read(this.#seen);
    if (this.#seen.newest !== newest) this.#wake();
  }

  close(): void {
    this.pause();
    this.#bell?.close();
    this.#db.close();
  }

  #ring(): void {
    this.#rangAt = performance.now();
    this.#step = FIRST_STEP_MS;
    this.#isTrusted = true;
    if (this.#wake === null) return;
    clearTimeout(this.#timer);
    this.#look();
  }

  #look(): void {
    const before = this.#seen;
    this.#seen = this.#read(before);
    if (this.#seen.version === before.version) return this.#lookLater();
    if (!this.#hasRung()) this.#isTrusted = false;
    this.#wake?.();
  }

  #read(before: Seen): Seen {
    try {
      const version = this.#version.get()?.['data_version'];
      if (version === before.version) return before;
      return { version, newest: this.#newest.get()?.['seq'] };
    } catch {
      // Somebody recovers the log just now; the next look asks again.
      return before;
    }
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#wait());
  }

  #wait(): number {
    const { oftenMs, seldomMs } = this.#pace;
    if (this.#bell === null || !this.#isTrusted) return oftenMs;
    if (!this.#hasRung()) return seldomMs;
    const step = Math.min(this.#step, oftenMs);
    this.#step *= 2;
    return step;
  }

  #hasRung(): boolean {
    return performance.now() - this.#rangAt < this.#pace.afterRingMs;
  }

  #dropBell(): void {
    this.#bell?.close();
    this.#bell = null;
    if (this.#wake !== null) this.#lookLater();
  }
}
