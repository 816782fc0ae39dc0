import { exportBeads, importBeads } from '../../contract/routes/interchange.ts';
import { readBeadsLine } from '../../domain/interchange/beads-read.ts';
import { beadsLine } from '../../domain/interchange/beads-write.ts';
import {
  type ImportPlan,
  type NumberedRow,
  planImport,
} from '../../domain/interchange/import-plan.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { type RepoName, repoName, taskId, type TaskId } from '../../domain/work/ids.ts';
import { idLength } from '../../domain/work/task-id.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { everyTask } from '../../ledger/queries/every-task.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok } from '../../lib/result.ts';
import type { Settings } from '../../ports/settings.ts';
import { reads, type Services, writes } from '../context.ts';
import { notFound } from '../problems.ts';
import { settingsOf } from '../repos.ts';

/** Takes a Beads file as one batch; what cannot be taken is listed, the rest goes on. */
export const beadsImport = writes(importBeads, async ({ body }, tx, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  if (body.repo !== undefined && settings.value.repos[body.repo] === undefined)
    return notFound('repo_not_found', `There is no repo ${body.repo}.`, 'convoy repo list');
  await tx.alone('graph');
  const existing = new Map((await everyTask(tx.db)).map((task) => [task.id, task]));
  const rows = numbered(body.jsonl, tx.at);
  const plan = planImport({
    rows,
    existing,
    repoFor: repoChooser(settings.value, body.repo),
    newId: freshIds(services, settings.value, new Set(existing.keys()), rows),
  });
  if (!body.dry_run) await carryOut(tx, plan);
  return ok({
    created: plan.create.length,
    updated: plan.update.filter(({ commands }) => commands.length > 0).length,
    unchanged: plan.unchanged.length,
    skipped: plan.skipped.length,
    skipped_lines: plan.skipped.map((each) => ({ ...each })),
    stale: [...plan.stale],
    kept: plan.kept.map((each) => ({ ...each })),
    bad_edges: plan.badEdges.map(({ from, on, kind, why }) => ({ from, on, kind, why })),
    external: plan.external.map((each) => ({ ...each })),
    dry_run: body.dry_run,
  });
});

function numbered(jsonl: string, now: number): NumberedRow[] {
  const rows: NumberedRow[] = [];
  let line = 0;
  let start = 0;
  while (start < jsonl.length) {
    const end = jsonl.indexOf('\n', start);
    const stop = end === -1 ? jsonl.length : end;
    line += 1;
    const row = readBeadsLine(jsonl.slice(start, stop), now);
    if (row !== null) rows.push({ line, row });
    start = stop + 1;
  }
  return rows;
}

/** The repo a row names, the one whose prefix its id has, or the one the caller chose. */
function repoChooser(
  settings: Settings,
  chosen: string | undefined,
): (id: TaskId, said: RepoName | null) => RepoName | null {
  const byPrefix = new Map(
    Object.entries(settings.repos).map(([name, { prefix }]) => [prefix, name]),
  );
  const names = Object.keys(settings.repos);
  const only = names.length === 1 ? names[0] : undefined;
  return (id, said) => {
    if (said !== null && settings.repos[said] !== undefined) return said;
    const prefix = id.slice(0, id.lastIndexOf('-'));
    const name = chosen ?? byPrefix.get(prefix) ?? only;
    return name === undefined ? null : repoName(name);
  };
}

function freshIds(
  services: Services,
  settings: Settings,
  taken: Set<string>,
  rows: readonly NumberedRow[],
): () => TaskId {
  const [first] = Object.values(settings.repos);
  const prefix = first?.prefix ?? 'task';
  for (const { row } of rows) if (row.kind === 'task' && row.id !== null) taken.add(row.id);
  const length = idLength(taken.size + rows.length);
  return () => {
    for (;;) {
      const id = taskId(`${prefix}-${services.ids.base36(length)}`);
      if (taken.has(id)) continue;
      taken.add(id);
      return id;
    }
  };
}

async function carryOut(tx: Tx, plan: ImportPlan): Promise<void> {
  for (const task of plan.create)
    await tx.record(taskAggregate, task.id, [{ type: 'task-created', task }]);
  for (const { id, commands } of plan.update)
    for (const command of commands) {
      const stored = await tx.load(taskAggregate, id);
      const decision = stored === null ? null : decideTask(stored.state, command);
      if (decision?.ok === true) await tx.record(taskAggregate, id, decision.value);
    }
  for (const { id, number } of plan.numbered)
    await tx.record(taskAggregate, id, [{ type: 'child-numbered', number }]);
}

/** Every task as one JSON object per line; what came from Beads goes back as it came. */
export const beadsExport = reads(exportBeads, async (_, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const tasks = await everyTask(services.ledger.db);
  const implied = repoChooser(settings.value, undefined);
  const lines = tasks.map((task) => beadsLine(task, (id) => implied(id, null)));
  return ok({ tasks: tasks.length, jsonl: lines.map((line) => `${line}\n`).join('') });
});
