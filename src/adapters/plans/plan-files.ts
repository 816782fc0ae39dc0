import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../domain/ship/plan/canonical.ts';
import { type Digest, planHash, planIds } from '../../domain/ship/plan/identity.ts';
import type { Plan } from '../../domain/ship/plan/plan.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { ListedPlan, PlanReadProblem, PlanStore } from '../../ports/plans.ts';

export type PlanFilesOptions = {
  readonly dir: string;
  /** A secret of this workspace: a plan that was edited and hashed anew still lacks its seal. */
  readonly key: string;
  readonly digest: Digest;
};

type Kept = { readonly schema: 'convoy.v1'; readonly plan: Plan; readonly seal: string };

/** Keeps plans as `<id>.json` in a directory. */
export function openPlanFiles(options: PlanFilesOptions): PlanStore {
  return {
    save: (plan) => save(options, plan),
    read: (id) => read(options, id),
    list: async () => {
      const all = await Promise.all((await ids(options)).map((id) => listed(options, id)));
      return all.flat().toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
    },
  };
}

const timeOf = (entry: ListedPlan): string =>
  entry.kind === 'plan' ? entry.plan.created_at : entry.changed_at;

async function listed(options: PlanFilesOptions, id: string): Promise<ListedPlan[]> {
  const kept = await readKept(options, id);
  if (kept.ok) return [{ kind: 'plan', plan: kept.value }];
  if (kept.error.kind !== 'edited-plan') return [];
  const { file } = kept.error;
  const stat = await lstat(file).catch(() => null);
  return stat === null ? [] : [{ kind: 'edited', id, file, changed_at: stat.mtime.toISOString() }];
}

async function save(options: PlanFilesOptions, plan: Plan): Promise<Plan> {
  await mkdir(options.dir, { recursive: true });
  for (const id of planIds(plan.hash)) {
    const before = await readKept(options, id);
    const isSame = before.ok && before.value.hash === plan.hash;
    if (before.ok && !isSame) continue;
    // The same plan worded anew keeps its time, by which its commits are made.
    const named = { ...plan, id, created_at: isSame ? before.value.created_at : plan.created_at };
    const kept: Kept = { schema: 'convoy.v1', plan: named, seal: sealOf(named, options.key) };
    const file = fileOf(options, id);
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
    return named;
  }
  throw new Error(`Every name for the plan ${plan.hash} is taken`);
}

async function read(
  options: PlanFilesOptions,
  text: string,
): Promise<Result<Plan, PlanReadProblem>> {
  const all = await ids(options);
  const fitting = all.includes(text) ? [text] : all.filter((id) => id.startsWith(text));
  const [id, ...others] = fitting;
  if (id === undefined || text === '') return err({ kind: 'unknown-plan', id: text });
  if (others.length > 0) return err({ kind: 'ambiguous-plan', id: text, ids: fitting });
  return readKept(options, id);
}

async function ids({ dir }: PlanFilesOptions): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.flatMap((name) => /^(plan-[0-9a-z]+)\.json$/.exec(name)?.[1] ?? []).toSorted();
}

async function readKept(
  options: PlanFilesOptions,
  id: string,
): Promise<Result<Plan, PlanReadProblem>> {
  const file = fileOf(options, id);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return err({ kind: 'unknown-plan', id });
  const kept = parsed(text);
  const honest =
    kept !== null &&
    kept.plan.id === id &&
    planHash(kept.plan, options.digest) === kept.plan.hash &&
    same(kept.seal, sealOf(kept.plan, options.key));
  return honest ? ok(kept.plan) : err({ kind: 'edited-plan', id, file });
}

function parsed(text: string): Kept | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('plan' in value) || !('seal' in value))
      return null;
    const { plan, seal } = value;
    if (typeof plan !== 'object' || plan === null || typeof seal !== 'string') return null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hash and seal prove who wrote it
    return { schema: 'convoy.v1', plan: plan as Plan, seal };
  } catch {
    return null;
  }
}

/** Over the whole plan, its words included. */
const sealOf = (plan: Plan, key: string): string =>
  createHmac('sha256', key).update(canonical(plan)).digest('hex');

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const fileOf = ({ dir }: PlanFilesOptions, id: string): string => join(dir, `${id}.json`);
