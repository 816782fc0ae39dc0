import { expect, test } from 'vitest';
import { cancelConvoy } from '../../src/contract/routes/convoys.ts';
import type { Branch } from '../../src/domain/remote/branch.ts';
import { branchesOfConvoy } from '../../src/ledger/queries/branches.ts';
import { type ForgeRig, forgeRig } from './engine-rig.ts';

const namesOn = (rig: ForgeRig): string[] =>
  rig.hub.bare.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');

const branches = (
  rig: ForgeRig,
  convoy: string,
  hold: (all: readonly Branch[]) => boolean,
): Promise<Branch[]> =>
  rig.until(`branches of ${convoy}`, async () => {
    const all = await branchesOfConvoy(rig.services.ledger.db, convoy);
    return all.length > 0 && hold(all) && all;
  });

test('once its pull request is merged, nothing of the convoy is left on the forge', async () => {
  const rig = await forgeRig({ repo: { pr_merge: 'green' } });
  const convoy = await rig.launch(await rig.task('T'));
  rig.start();
  await rig.settled(convoy, 'landed');
  await branches(rig, convoy, (all) => all.every(({ status }) => status === 'removed'));
  expect(namesOn(rig)).toEqual(['main']);
});

test('KG-70 an open pull request of a cancelled convoy keeps its branch; closing it lets it go', async () => {
  const rig = await forgeRig();
  const convoy = await rig.launch(await rig.task('T'));
  rig.start();
  const { branch, number } = await rig.waiting(convoy);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await branches(rig, convoy, (all) =>
    all.every(({ name, status }) => (name === branch) !== (status === 'removed')),
  );
  expect(namesOn(rig).toSorted()).toEqual([branch, 'main'].toSorted());
  expect(rig.hub.pulls.get(number)?.state).toBe('open');
  await rig.call(cancelConvoy, { params: { id: convoy }, body: { close_prs: true } });
  await branches(rig, convoy, (all) => all.every(({ status }) => status === 'removed'));
  expect(rig.hub.pulls.get(number)?.state).toBe('closed');
  expect(namesOn(rig)).toEqual(['main']);
});

test('KG-18 an address that leads nowhere holds the convoy back before anything runs, until it is mended', async () => {
  const rig = await forgeRig({ repo: { pr_merge: 'green' } });
  rig.git('remote', 'set-url', 'origin', rig.github.gitUrl('acme/nothing'));
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.until('pending', async () => {
    const [row] = await rig.services.ledger.db.selectFrom('repo_state').select('state').execute();
    return row?.state.includes('"trouble":{') === true;
  });
  expect(await rig.attempts(task)).toEqual([]);
  // An address that never answered was never taken for ours: mending it needs no further word.
  rig.git('remote', 'set-url', 'origin', rig.github.gitUrl('acme/shop'));
  await rig.settled(convoy, 'landed');
});
