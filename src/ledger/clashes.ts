const SERIALIZATION = '40001';
const DEADLOCK = '40P01';
const UNIQUE = '23505';

/** The constraint that two writers of one subject meet at. */
const SAME_VERSION = 'event_subject_version';
const MOST_ROUNDS = 20;

/**
 * Runs a transaction again when another writer was faster: the later one looks again and decides
 * anew. After a clash on a subject it queues with the others who clashed there, so that a busy
 * subject starves nobody. Another row that is already there is looked at once more, because the
 * writer who put it there may just have committed; if it is still in the way, it is a bug to see.
 */
export async function retryingClashes<T>(
  attempt: (queue: string | null) => Promise<T>,
): Promise<T> {
  let queue: string | null = null;
  let doubts = 0;
  for (let round = 1; ; round++) {
    try {
      return await attempt(queue);
    } catch (error) {
      const clash = clashOf(error);
      if (clash === null || round === MOST_ROUNDS) throw error;
      if (clash === 'other row' && ++doubts > 1) throw error;
      queue ??= clash === 'same version' ? queueOf(error) : null;
    }
  }
}

function clashOf(error: unknown): 'same version' | 'other row' | 'unlucky' | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  if (error.code === SERIALIZATION || error.code === DEADLOCK) return 'unlucky';
  if (error.code !== UNIQUE) return null;
  return 'constraint' in error && error.constraint === SAME_VERSION ? 'same version' : 'other row';
}

/** Postgres names the row: `Key (subject, version)=(task/a, 2) already exists.` */
function queueOf(error: unknown): string {
  const detail = error instanceof Error && 'detail' in error ? String(error.detail) : '';
  return `clash ${/=\((.*), \d+\)/.exec(detail)?.[1] ?? ''}`;
}
