import { describe } from 'vitest';
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
