import { importBeads } from '../../contract/routes/interchange.ts';
import type { Run } from '../command.ts';
import type { importFile } from '../commands/interchange.ts';
import { cleanLine } from '../render/clean.ts';
import { readInput } from './read-input.ts';

export const run: Run<typeof importFile> = async (context) => {
  const { args, options, call } = context;
  const jsonl = await readInput(context, args.file);
  const answer = await call(importBeads, {
    body: { jsonl, repo: options.repo, dry_run: options.dryRun },
  });
  const { created, updated, unchanged, skipped, stale, bad_edges, kept, external } = answer;
  return {
    json: answer,
    text: () => [
      `${options.dryRun ? 'Would create' : 'Created'} ${created}, update ${updated}; ${unchanged} unchanged, ${skipped} skipped, ${stale.length} stale.`,
      ...answer.skipped_lines.map(({ line, why }) => cleanLine(`  line ${line}: ${why}`)),
      ...stale.map((id) => cleanLine(`  stale: ${id} is newer here`)),
      ...kept.map(({ id, why }) => cleanLine(`  kept: ${id}: ${why}`)),
      ...bad_edges.map(({ from, on, kind, why }) =>
        cleanLine(`  edge left out: ${from} ${kind} ${on}: ${why}`),
      ),
      ...external.map(({ from, on }) =>
        cleanLine(`  elsewhere: ${from} names ${on}; nothing here waits for it`),
      ),
    ],
  };
};
