import { createInterface } from 'node:readline';
import { approve, reject, showApproval } from '../../contract/routes/approvals.ts';
import type { CommandContext } from '../context.ts';

type Context = Pick<
  CommandContext,
  'call' | 'interactive' | 'stdin' | 'out' | 'signal' | 'color' | 'columns'
>;

/**
 * Lets the person at the terminal decide right here. Nobody has to: a decision made elsewhere, with
 * convoy approve or in the dashboard, is as good and ends the question.
 */
export async function decideHere(
  { call, interactive, stdin, out, signal, ...look }: Context,
  asked: Readonly<Record<string, unknown>>,
): Promise<void> {
  const id = approvalIn(asked);
  if (!interactive || id === null || signal.aborted) return;
  const { approval } = await call(showApproval, { params: { id } });
  if (approval.status !== 'pending') return;
  const { approvalPage } = await import('../render/approval-view.ts');
  for (const line of approvalPage(approval, look)) out(line);
  out(`Type y to approve ${id}, n to reject it, then Enter.`);
  const lines = createInterface({ input: stdin });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  for await (const line of lines) {
    const word = line.trim().toLowerCase();
    const route =
      word === 'y' || word === 'yes' ? approve : word === 'n' || word === 'no' ? reject : null;
    if (route === null) continue;
    const body = { channel: 'cli' as const, subject_hash: approval.subject_hash };
    await call(route, { params: { id }, body }).catch((error: Error) => out(error.message));
    break;
  }
  lines.close();
}

function approvalIn({ waiting }: Readonly<Record<string, unknown>>): string | null {
  if (typeof waiting !== 'object' || waiting === null || !('approval' in waiting)) return null;
  return typeof waiting.approval === 'string' ? waiting.approval : null;
}
