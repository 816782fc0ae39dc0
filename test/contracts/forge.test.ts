import { memoryForge } from '../../src/simulator/memory-forge.ts';
import { memoryOrigin } from '../../src/simulator/memory-origin.ts';
import { objectStore } from '../../src/simulator/object-store.ts';
import { forgeContract } from './forge-contract.ts';

forgeContract('the simulated forge', async () => {
  const store = objectStore();
  const origin = memoryOrigin(store, 'memory://hub');
  const { branches } = origin;
  branches.set('main', store.commit(new Map([['first', 'first']]), [], 'first', 1));
  const hub = memoryForge(store, origin, () => 1);
  const stranger = memoryForge(store, origin, () => 1);
  stranger.problem = { kind: 'not_authorised', detail: 'nobody knows this token' };
  return {
    forge: hub.port,
    stranger: stranger.port,
    branch(name, file = `${name}.txt`) {
      const parent = branches.get(name) ?? branches.get('main') ?? '';
      const files = new Map(store.files(store.find(parent)?.tree ?? ''));
      const made = store.commit(files.set(file, name), [parent], `Write ${file}`, 1);
      branches.set(name, made);
      return made;
    },
    head: (branch) => branches.get(branch) ?? null,
    tree: (revision) => store.find(revision)?.tree ?? '',
    approve: (number) => hub.review(number, 'approved'),
    requestChanges: (number) => hub.review(number, 'changes_requested'),
    check: (number, name, conclusion) => hub.check(number, name, conclusion),
    closeByHand: (number) => hub.closeByHand(number),
    mergeByHand: (number) => hub.mergeByHand(number) ?? '',
    protect: () => {
      hub.isProtected = true;
    },
    loseNextAnswer: () => {
      hub.losesNext = true;
    },
    limitUntil: (seconds) => {
      hub.problem = { kind: 'rate_limited', until: seconds * 1000, detail: 'enough' };
    },
  };
});
