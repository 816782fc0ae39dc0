import type { Instant } from '../work/ids.ts';

/** Why something does not get through to a remote at the moment. */
export type Trouble = {
  readonly reason: string;
  /** True when it stays so until a person acts. */
  readonly held: boolean;
  /** It has failed often enough that people were told. */
  readonly repeated: boolean;
  readonly since: Instant;
};

/** The third failure in a row is no accident. */
export const OFTEN = 3;

/** What is new about a trouble, or null: the same one said again is no news. */
export function newTrouble(
  known: Trouble | null,
  { reason, held }: Pick<Trouble, 'reason' | 'held'>,
  tries: number,
): Pick<Trouble, 'reason' | 'held' | 'repeated'> | null {
  const repeated = known?.repeated === true || tries >= OFTEN;
  const isSame =
    known !== null && known.reason === reason && known.held === held && known.repeated === repeated;
  return isSame ? null : { reason, held, repeated };
}

/** Another reason does not make the trouble younger. */
export const troubled = (
  known: Trouble | null,
  { reason, held, repeated }: Pick<Trouble, 'reason' | 'held' | 'repeated'>,
  at: Instant,
): Trouble => ({ reason, held, repeated, since: known?.since ?? at });

const SAYINGS: readonly (readonly [RegExp, string])[] = [
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|error: 401/i,
    'origin does not accept our credentials',
  ],
  [/error: 403|forbidden|not authori[sz]ed/i, 'origin does not let us in'],
  [
    /error: 404|not found|does not appear to be a git repository/i,
    'there is no such repository at origin',
  ],
  [
    /Could not resolve host|Failed to connect|Could ?n.t connect|Connection (?:refused|reset|timed out|closed)|No route to host|unreachable|empty reply/i,
    'origin cannot be reached',
  ],
  [/error: 5\d\d/i, 'origin answers with an error of its own'],
];

/**
 * What git complained about, in words that stay the same while the trouble does: its own words hold
 * ports, times and addresses.
 */
export function troubleWords(reason: string, detail: string): string {
  if (reason === 'timed_out') return 'origin does not answer in time';
  const known = SAYINGS.find(([pattern]) => pattern.test(detail));
  if (known !== undefined) return known[1];
  const line = detail.split('\n').find((each) => /fatal:|error:/.test(each)) ?? '';
  const said = line.replace(/^.*?(?:fatal|error): /, '').slice(0, LONGEST);
  return said === '' ? 'origin gives no answer' : `origin gives no answer: ${said}`;
}

const LONGEST = 200;
