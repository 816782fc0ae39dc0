/** The roles a token may carry. An operator may do everything; the last four are bound to something. */
export const TOKEN_ROLES = [
  'viewer',
  'approver',
  'operator',
  'manager',
  'worker',
  'reviewer',
  'runner',
] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** Who asks, as far as we have proof of it. */
export type Identity = {
  /** Written on every event: `worker:a7k2p`. */
  readonly actor: string;
  readonly role: TokenRole;
  /** What a bound role is bound to: `attempt:<id>`, `crew:<id>`, `host:<name>`. */
  readonly subject: string | null;
  /** The only task a worker or reviewer may touch. */
  readonly task: string | null;
  /** The token that proved it; null for the operator's own file and for calls in process. */
  readonly token: string | null;
  /** How it was proved: a header, the dashboard's cookie, or by being this very process. */
  readonly by: 'bearer' | 'session' | 'process';
};

/** Whom a role speaks for besides itself. */
const INCLUDES: Partial<Record<TokenRole, readonly string[]>> = {
  approver: ['viewer'],
  manager: ['viewer'],
};

/** Whether a role may call a route that names these roles. */
export function mayCall(role: TokenRole, named: readonly string[]): boolean {
  if (role === 'operator' || named.includes('anyone')) return true;
  return named.includes(role) || (INCLUDES[role] ?? []).some((other) => named.includes(other));
}

/** A worker's and a reviewer's whole world is one task; everybody else is not bound to any. */
export function mayTouch({ role, task }: Pick<Identity, 'role' | 'task'>, wanted: string): boolean {
  return role === 'worker' || role === 'reviewer' || role === 'runner' ? task === wanted : true;
}

/** The word that stands on events: the role and the one thing that tells its holders apart. */
export function actorOf(role: TokenRole, subject: string | null, name: string): string {
  const bound = subject === null ? name : subject.slice(subject.indexOf(':') + 1);
  return `${role}:${bound}`;
}
