import type { Identity } from '../domain/identity/identity.ts';
import type { Variables } from './services.ts';

/** Whoever can read the workspace's own files is its operator. */
export function localOperator(env: Variables, by: Identity['by']): Identity {
  const user = env['USER'] ?? env['LOGNAME'] ?? 'local';
  return {
    actor: `operator:${user}`,
    role: 'operator',
    subject: null,
    task: null,
    token: null,
    by,
  };
}
