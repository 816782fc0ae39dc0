import { err, ok, type Result } from '../../lib/result.ts';
import type { TokenRole } from './identity.ts';

/** What a token is good for besides its role. */
export type Binding = { readonly subject: string | null; readonly task: string | null };

export type BindingRefusal =
  | { readonly kind: 'needs-subject'; readonly role: TokenRole; readonly form: string }
  | { readonly kind: 'takes-no-subject'; readonly role: TokenRole }
  | { readonly kind: 'needs-task'; readonly role: TokenRole }
  | { readonly kind: 'takes-no-task'; readonly role: TokenRole };

/** The kind of thing each bound role belongs to. */
const BOUND: Partial<Record<TokenRole, readonly string[]>> = {
  manager: ['crew'],
  worker: ['attempt', 'task'],
  reviewer: ['attempt', 'task'],
  runner: ['host'],
};

type Checked = Result<Binding, BindingRefusal>;

/** Checks that a bound role names what it is bound to, and that a free role names nothing. */
export function bindingOf(role: TokenRole, subject: string | null, task: string | null): Checked {
  const kinds = BOUND[role];
  if (kinds === undefined)
    return subject === null
      ? withoutTask(role, subject, task)
      : err({ kind: 'takes-no-subject', role });
  const [kind, id] = split(subject ?? '');
  if (!kinds.includes(kind) || id === '')
    return err({
      kind: 'needs-subject',
      role,
      form: kinds.map((each) => `${each}:<id>`).join(' or '),
    });
  if (!kinds.includes('task')) return withoutTask(role, subject, task);
  const own = kind === 'task' ? id : task;
  if (own === null || (task ?? own) !== own) return err({ kind: 'needs-task', role });
  return ok({ subject, task: own });
}

const withoutTask = (role: TokenRole, subject: string | null, task: string | null): Checked =>
  task === null ? ok({ subject, task }) : err({ kind: 'takes-no-task', role });

function split(subject: string): [string, string] {
  const colon = subject.indexOf(':');
  return colon === -1 ? ['', ''] : [subject.slice(0, colon), subject.slice(colon + 1)];
}
