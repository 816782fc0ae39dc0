import { secretValues } from '../../domain/ship/rehearsal/step-environment.ts';
import type { Variables } from '../../ports/ship.ts';
import type { Journal } from './journal.ts';

const HIDDEN = '[redacted]';

/**
 * A journal that never writes down a value it was told to keep. Everything is cleaned where it is
 * made already; this is the last door before the ledger.
 */
export function hidingJournal(
  journal: Journal,
  env: Variables,
  secrets: readonly string[],
): Journal {
  const values = [...secretValues(env), ...secrets]
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  if (values.length === 0) return journal;
  const hide = <T>(value: T): T => hidden(value, values);
  return {
    ...journal,
    write: (command) => journal.write(hide(command)),
    note: (stage, lane, text) => journal.note(stage, lane, hide(text)),
    diagnose: (diagnosis) => journal.diagnose(hide(diagnosis)),
    medicStep: (step) => journal.medicStep(hide(step)),
  };
}

// Shorter ones stand in every other word, and hiding them would leave nothing to read.
const SHORTEST = 4;

function hidden<T>(value: T, values: readonly string[]): T;
function hidden(value: unknown, values: readonly string[]): unknown {
  if (typeof value === 'string')
    return values.reduce((text, each) => text.replaceAll(each, HIDDEN), value);
  if (Array.isArray(value)) return value.map((one: unknown) => hidden(one, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, hidden<unknown>(one, values)]),
  );
}
