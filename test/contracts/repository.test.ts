import { describe } from 'vitest';
import { memoryRepository } from '../../src/simulator/memory-repository.ts';
import { makeRig } from '../git/rig.ts';
import { repositoryContract } from './repository.ts';

describe.each([{ bare: false }, { bare: true }])('git, bare $bare', ({ bare }) => {
  repositoryContract(async () => {
    const rig = makeRig({ bare });
    return {
      repository: await rig.open(),
      commit: (files, parent) =>
        Promise.resolve(rig.plant(files, ...(parent === null ? [] : [parent]))),
    };
  });
});

describe('the simulated repository', () => {
  repositoryContract(async () => {
    const { port, store } = memoryRepository();
    return {
      repository: port,
      commit: async (files, parent) =>
        store.commit(new Map(Object.entries(files)), parent === null ? [] : [parent], 'planted', 1),
    };
  });
});
