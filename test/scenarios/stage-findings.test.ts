import { expect, test } from 'vitest';
import {
  editConvoy,
  listConvoys,
  showConvoy,
  watchConvoy,
} from '../../src/contract/routes/convoys.ts';
import { parkRepo, unparkRepo } from '../../src/contract/routes/repos.ts';
import { ledgerInfo } from '../../src/contract/routes/system.ts';
import { createTask, editTask } from '../../src/contract/routes/tasks.ts';
import { makeApi, NOT_INSTALLED, READY, TWO_REPOS, type ApiRig } from '../api/rig.ts';
import { plant } from '../plant.ts';

const codes = (found: readonly { code: string }[]): string[] => found.map(({ code }) => code);
const NO_GATE = READY.replace(/^gates = .*$/m, '');

test('GT-34 GT-37 a clean chain has nothing to say and is staged_ready', async () => {
  const api = await makeApi();
  const [a, b] = [await api.task('a'), await api.task('b')];
  await api.after(b, a);
  const staged = await api.stage([a, b]);
  expect(staged).toMatchObject({ status: 'staged_ready', errors: [], warnings: [], notices: [] });
});

test('GT-34 a parked repository is a warning that says how to unpark it', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  await api.ask(parkRepo, { params: { name: 'main' }, body: { reason: 'freeze' } });
  const parked = await api.stage([a]);
  expect(parked).toMatchObject({ status: 'staged_warnings' });
  expect(parked.warnings).toMatchObject([
    { code: 'parked_repo', ids: [a], fix: 'convoy repo unpark main' },
  ]);
  await api.ask(unparkRepo, { params: { name: 'main' } });
  expect(await api.stage([a])).toMatchObject({ status: 'staged_ready', warnings: [] });
});

test('no gate and no agent are warnings; an agent that is not installed too', async () => {
  const bare = await makeApi({ config: NO_GATE.replace('agent = "mine"\n', '') });
  const a = await bare.task('a');
  expect(codes((await bare.stage([a])).warnings)).toEqual(['no_gate', 'no_agent']);
  const api = await makeApi({
    config: READY.replace('command = ["true"]', `command = ["${NOT_INSTALLED}"]`),
  });
  const report = await api.stage([await api.task('b')]);
  expect(codes(report.warnings)).toEqual(['agent_not_found']);
  expect(report.warnings[0]?.message).toContain(NOT_INSTALLED);
});

test('GT-34 OVERRIDDEN by the spec: orphan, cross-repo and too wide a wave are notices', async () => {
  const api = await makeApi({ config: TWO_REPOS });
  const made = await api.ask(createTask, { body: { title: 'Epic', type: 'epic', repo: 'main' } });
  const epic = made.task.id;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    ids.push(await api.task(name, { parent: epic, repo: 'main' }));
  const far = await api.task('far', { parent: epic, repo: 'api' });
  const decided = await api.task('Which?', { parent: epic, type: 'decision' });
  const gated = await api.task('gated', { parent: epic });
  await api.after(gated, decided);
  await api.after(ids[1] ?? '', ids[0] ?? '');
  const staged = await api.stage([epic]);
  expect(codes(staged.errors)).toEqual([]);
  const orphans = staged.notices
    .filter(({ code }) => code === 'orphan')
    .flatMap(({ ids: of }) => of);
  expect(orphans).toEqual([ids[2], ids[3], ids[4], far]);
  expect(codes(staged.notices)).toContain('cross_repo');
  expect(staged.notices.find(({ code }) => code === 'wide_wave')?.message).toContain(
    'Wave 1 has 5 tasks; 4 can run at once.',
  );
});

test('GT-34 tasks that were named one by one are never orphans', async () => {
  const api = await makeApi();
  const [a, b, c] = [await api.task('a'), await api.task('b'), await api.task('c')];
  await api.after(b, a);
  expect(codes((await api.stage([a, b, c])).notices)).toEqual([]);
});

test('GT-36 OVERRIDDEN by the spec: work in a second repository is one notice naming the first', async () => {
  const api = await makeApi({ config: TWO_REPOS });
  const [a, b, c] = [
    await api.task('a', { repo: 'main' }),
    await api.task('b', { repo: 'main' }),
    await api.task('c', { repo: 'api' }),
  ];
  const staged = await api.stage([a, b, c]);
  expect(staged.status).toBe('staged_ready');
  expect(staged.notices).toMatchObject([{ code: 'cross_repo', ids: [c] }]);
  expect(staged.notices[0]?.message).toContain('main');
});

test('GT-37 any error leaves no convoy and changes no staged one', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const a = await api.task('a', { parent: epic });
  const staged = await api.stage([epic]);
  await plant(api.services.ledger, [{ id: 'web-lost', parent: epic, repo: null }]);
  const before = await api.events();
  expect(await api.stage([epic])).toMatchObject({ status: 'error', convoy_id: null });
  expect(await api.events()).toBe(before);
  const { convoys } = await api.ask(listConvoys, {});
  expect(convoys).toMatchObject([{ id: staged.convoy_id, status: 'staged_ready' }]);
  expect(await membersOf(api, staged.convoy_id)).toEqual([a]);
});

test('GT-39 a staged convoy has an id of cv- and five characters and tracks only dispatchable work', async () => {
  const api = await makeApi();
  const epic = await api.epic('Health checks');
  const a = await api.task('a', { parent: epic });
  await api.task('Which?', { parent: epic, type: 'decision' });
  await api.task('Beta', { parent: epic, type: 'milestone' });
  const staged = await api.stage([epic]);
  expect(staged.convoy_id).toMatch(/^cv-[0-9a-z]{5}$/);
  expect(staged.title).toBe('Health checks');
  const { convoy } = await api.ask(showConvoy, { params: { id: staged.convoy_id ?? '' } });
  expect(convoy.tasks.map(({ id }) => id)).toEqual([a]);
  expect(convoy).toMatchObject({ feeding: false, status: 'staged_ready' });
});

test('GT-42 GT-43 staging again updates in place: new children come in, removed ones go out', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const [a, b] = [await api.task('a', { parent: epic }), await api.task('b', { parent: epic })];
  const first = await api.stage([epic]);
  const c = await api.task('c', { parent: epic });
  await api.ask(editTask, { params: { id: b }, body: { parent: null } });
  await api.after(c, a);
  await api.ask(parkRepo, { params: { name: 'main' }, body: {} });
  const second = await api.stage([first.convoy_id ?? '']);
  expect(second).toMatchObject({
    convoy_id: first.convoy_id,
    restaged: true,
    status: 'staged_warnings',
  });
  expect(await membersOf(api, first.convoy_id)).toEqual([a, c]);
  expect(second.notices).toContainEqual(expect.objectContaining({ code: 'descoped', ids: [b] }));
  await api.ask(unparkRepo, { params: { name: 'main' } });
  const third = await api.stage([epic]);
  expect(third).toMatchObject({ convoy_id: first.convoy_id, status: 'staged_ready' });
  expect((await api.ask(listConvoys, { query: { all: 'true' } })).convoys).toHaveLength(1);
});

test('GT-45 GT-46 stage takes the options of a convoy, and staging again keeps them', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const options = {
    owner: 'ada',
    notify: ['me'],
    merge_mode: 'review-and-merge' as const,
    base_branches: { main: 'main' },
    max_parallel: 7,
    budget: { usd: 5, attempts: 9 },
    failure_policy: 'continue' as const,
    labels: ['q3'],
    owned: true,
  };
  const staged = await api.stage([a], { ...options, title: 'Mine' });
  const id = staged.convoy_id ?? '';
  await api.ask(watchConvoy, { params: { id }, body: { name: 'bob' } });
  await api.stage([a]);
  await api.stage([id], { max_parallel: 3 });
  const { convoy } = await api.ask(showConvoy, { params: { id } });
  expect(convoy).toMatchObject({ ...options, max_parallel: 3, title: 'Mine', watchers: ['bob'] });
});

test('a title given by edit survives a re-stage, one given to stage replaces it', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const { convoy_id: id } = await api.stage([a]);
  await api.ask(editConvoy, { params: { id: id ?? '' }, body: { title: 'Renamed' } });
  expect((await api.stage([a])).title).toBe('Renamed');
  expect((await api.stage([a], { title: 'Again' })).title).toBe('Again');
});

test('GT-48 a missing base branch is a warning only when git has none', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const missing = await api.stage([a], { base_branches: { main: 'release' } });
  expect(missing.warnings).toMatchObject([{ code: 'missing_branch' }]);
  expect(missing.warnings[0]?.message).toContain('release');
  api.git('branch', 'release');
  expect(codes((await api.stage([a])).warnings)).toEqual([]);
});

test('GT-48 --create-branches makes the missing base branch from the target', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  const staged = await api.stage([a], {
    base_branches: { main: 'release' },
    create_branches: true,
  });
  expect(staged).toMatchObject({ status: 'staged_ready', warnings: [] });
  expect(api.git('rev-parse', 'release')).toBe(api.git('rev-parse', 'main'));
});

test('GT-48 an unknown repo in the base branches is not found, and nothing is staged', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  await expect(api.stage([a], { base_branches: { nope: 'x' } })).rejects.toThrow('repo_not_found');
});

test('a target that is ahead of the base is a notice with the number of commits', async () => {
  const api = await makeApi();
  api.git('branch', 'release');
  api.git('commit', '--quiet', '--allow-empty', '-m', 'second');
  const a = await api.task('a');
  const staged = await api.stage([a], { base_branches: { main: 'release' } });
  expect(codes(staged.notices)).toEqual(['target_ahead']);
  expect(staged.notices[0]?.message).toContain('1 commit ');
});

test('--infer-blocks orders sub-epics without edges as they were made, and writes the edges', async () => {
  const api = await makeApi();
  const root = await api.epic('Root');
  const [one, two] = [await api.epic('One', root), await api.epic('Two', root)];
  const [a, b] = [await api.task('a', { parent: one }), await api.task('b', { parent: two })];
  expect((await api.stage([root])).waves).toHaveLength(1);
  const staged = await api.stage([root], { infer_blocks: true });
  expect(staged.inferred).toEqual([{ id: two, depends_on: one }]);
  expect(staged.waves.map(({ tasks }) => tasks.map(({ id }) => id))).toEqual([[a], [b]]);
  expect((await api.stage([root])).waves).toHaveLength(2);
});

test('--max-depth walks only so far down', async () => {
  const api = await makeApi();
  const root = await api.epic('Root');
  const sub = await api.epic('Sub', root);
  const near = await api.task('near', { parent: root });
  await api.task('far', { parent: sub });
  const staged = await api.stage([root], { max_depth: 1 });
  expect(staged.tree.map(({ id }) => id)).toEqual([root, sub, near]);
  expect(await membersOf(api, staged.convoy_id)).toEqual([near]);
});

test('GT-46 an unknown notify target is a usage error and writes nothing', async () => {
  const api = await makeApi();
  const a = await api.task('a');
  await expect(api.stage([a], { notify: ['nobody'] })).rejects.toThrow('notify_unknown');
  expect((await api.ask(listConvoys, {})).convoys).toEqual([]);
});

test('GT-49 no capstone task is ever added by staging', async () => {
  const api = await makeApi();
  const epic = await api.epic('Epic');
  const a = await api.task('a', { parent: epic });
  await api.stage([epic]);
  const again = await api.stage([epic]);
  expect(again.tree.map(({ id }) => id)).toEqual([epic, a]);
  expect((await api.ask(ledgerInfo, {})).tasks).toBe(2);
});

async function membersOf(api: ApiRig, id: string | null): Promise<string[]> {
  const { convoy } = await api.ask(showConvoy, { params: { id: id ?? '' } });
  return convoy.tasks.map((task) => task.id).toSorted();
}
