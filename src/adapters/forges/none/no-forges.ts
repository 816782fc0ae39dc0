import { err } from '../../../lib/result.ts';
import type { Forges } from '../../../ports/forge.ts';

/** For whoever works without a forge, such as a demo: everything stays in git. */
export const noForges = (reason: string): Forges => ({
  open: async () =>
    err({ kind: 'unknown_host', reason, remedy: 'Merge the branch by hand where it should go.' }),
});
