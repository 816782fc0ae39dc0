import type { ApprovalJson } from '../../contract/routes/approvals.ts';
import { cleanLine } from './clean.ts';
import { paletteFor } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';

/** `ap-7k2p9  approved  deploy of run-3f: …  by operator:ana` */
export function approvalLine({
  id,
  status,
  kind,
  subject,
  summary,
  decision,
}: ApprovalJson): string {
  const by = decision === null ? '' : `  by ${decision.actor}`;
  return cleanLine(`${id}  ${status}  ${kind} of ${subject}: ${summary}${by}`);
}

export function approvalTable(approvals: readonly ApprovalJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const paints = {
    pending: palette.amber,
    approved: palette.green,
    rejected: palette.red,
    void: palette.grey,
  };
  const rows = approvals.map((approval) => [
    approval.id,
    { text: approval.status, paint: paints[approval.status] },
    approval.kind,
    approval.lane === null ? approval.subject : `${approval.subject} ${approval.lane}`,
    relative(Date.parse(approval.requested_at), view.now()),
    approval.decision?.actor ?? '',
    approval.summary,
  ]);
  const columns = [
    { title: 'ID', min: 8 },
    { title: 'STATUS', min: 8 },
    { title: 'KIND' },
    { title: 'OF' },
    { title: 'ASKED' },
    { title: 'BY' },
    { title: 'WHAT', min: 8 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}
