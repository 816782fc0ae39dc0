import type { TokenJson } from '../../contract/routes/tokens.ts';
import { paletteFor } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';

export function tokenTable(tokens: readonly TokenJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const when = (at: string | null): string =>
    at === null ? '' : relative(Date.parse(at), view.now());
  const rows = tokens.map((token) => [
    token.id,
    token.name === token.id ? '' : token.name,
    token.use === 'session' ? `${token.role}, browser` : token.role,
    { text: token.status, paint: token.status === 'active' ? palette.green : palette.grey },
    token.task ?? token.subject ?? '',
    when(token.created_at),
    when(token.expires_at),
  ]);
  const columns = [
    { title: 'ID', min: 10 },
    { title: 'NAME' },
    { title: 'ROLE', min: 8 },
    { title: 'STATUS', min: 7 },
    { title: 'FOR' },
    { title: 'MADE' },
    { title: 'ENDS' },
  ];
  return table(columns, rows, view.columns, palette.grey);
}
