import type { Problem } from '../../contract/problem.ts';
import type { BodyOf } from '../../contract/route.ts';
import { launchConvoy } from '../../contract/routes/convoys.ts';
import { SCHEMA } from '../../contract/schemas/words.ts';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Services, writesAfter } from '../context.ts';
import { find } from '../find.ts';
import { refused } from '../problems.ts';
import { settingsOf } from '../repos.ts';
import { gitBefore } from '../stage/git-before.ts';
import type { Report } from '../stage/report.ts';
import { moveConvoy } from './convoy-moves.ts';
import { stageBatch } from './convoy-stage.ts';

type Body = BodyOf<typeof launchConvoy>;

/** Lets a convoy feed. Refuses without a trace; the engine starts what is ready. */
export const convoyLaunch = writesAfter(
  launchConvoy,
  ({ body }, services) => gitBefore(body, services),
  async ({ body }, tx, services, git) => {
    const known = await namedConvoy(body, tx);
    if (known !== null) {
      const launched = await launchKnown(known, body, tx, services);
      return launched.ok ? ok(answerOf(launched.value, null)) : launched;
    }
    const staged = await stageBatch({ ...body, launch: true }, tx, services, git);
    if (!staged.ok) return staged;
    const report = staged.value;
    if (report.status === 'error') return err(notStaged(report));
    if (!report.launched) return err(warned(report));
    const stored = await tx.load(convoyAggregate, report.convoy_id ?? '');
    if (stored === null) throw new Error('A staged convoy is gone');
    return ok(answerOf(stored.state, report));
  },
);

async function namedConvoy(body: Body, tx: Tx): Promise<Convoy | null> {
  const [only, ...more] = body.targets;
  if (only === undefined || more.length > 0) return null;
  const named = await find(tx.db, only);
  if (!named.ok || named.value.kind !== 'convoy') return null;
  return (await tx.load(convoyAggregate, named.value.id))?.state ?? null;
}

/** What is parked now counts, whatever the stage said then. */
async function launchKnown(
  convoy: Convoy,
  body: Body,
  tx: Tx,
  services: Services,
): Promise<Result<Convoy, Problem>> {
  const parked = body.force ? [] : await parkedRepos(convoy, tx, services);
  if (parked.length > 0)
    return refused(
      'parked_repo',
      `${parked.map(({ repo }) => repo).join(', ')} is parked; ${some(parked.flatMap(({ tasks }) => tasks))} would wait.`,
      'Unpark it, or launch with --force: its tasks then wait.',
      parked.flatMap(({ tasks }) => tasks),
    );
  return moveConvoy(tx, convoy, { type: 'launch', force: body.force });
}

type Parked = { readonly repo: string; readonly tasks: readonly string[] };

async function parkedRepos(convoy: Convoy, tx: Tx, services: Services): Promise<Parked[]> {
  const settings = settingsOf(services);
  if (!settings.ok) return [];
  const tasks = await tasksById(tx.db, await convoyMembers(tx.db, convoy.id));
  const repos = [...new Set(tasks.flatMap(({ repo }) => repo ?? []))];
  if (repos.length === 0) return [];
  const rows = await tx.db
    .selectFrom('repo_state')
    .select('name')
    .where('name', 'in', repos)
    .where('parked', 'is not', null)
    .execute();
  return rows.map(({ name }) => ({
    repo: name,
    tasks: tasks
      .filter(({ repo, status }) => repo === name && status === 'open')
      .map(({ id }) => id),
  }));
}

const MOST_NAMED = 10;

const some = (ids: readonly string[]): string =>
  ids.length <= MOST_NAMED
    ? ids.join(', ')
    : `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`;

const answerOf = (
  convoy: Convoy,
  report: Report | null,
): {
  convoy_id: string;
  status: string;
  dispatched: string[];
  failed: { id: string; error: string }[];
  report: (Report & { schema: typeof SCHEMA }) | null;
} => ({
  convoy_id: convoy.id,
  status: convoy.status,
  dispatched: [],
  failed: [],
  report: report === null ? null : { schema: SCHEMA, ...report },
});

function notStaged(report: Report): Problem {
  const [first] = report.errors;
  const kinds: Readonly<Record<string, Problem['kind']>> = {
    missing_task: 'not_found',
    already_launched: 'conflict',
    ambiguous_id: 'conflict',
    ambiguous_convoy: 'conflict',
  };
  return {
    kind: kinds[first?.code ?? ''] ?? 'refused',
    code: first?.code ?? 'not_staged',
    message: report.errors.map(({ message }) => message).join(' '),
    remedy: first?.fix ?? 'convoy stage shows what is wrong.',
    details: report,
  };
}

const warned = (report: Report): Problem => ({
  kind: 'refused',
  code: 'warnings_need_force',
  message: `Not launched, there are warnings: ${report.warnings.map(({ message }) => message).join(' ')}`,
  remedy: 'Mend them, or add --force to go on in spite of them.',
  details: report,
});
