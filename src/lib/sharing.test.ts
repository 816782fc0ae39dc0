import { expect, test } from 'vitest';
import { sharing } from './sharing.ts';

/** A look that ends when it is told to, and numbers its answers. */
function looks() {
  const open: PromiseWithResolvers<void>[] = [];
  const look = async (): Promise<number> => {
    const one = Promise.withResolvers<void>();
    open.push(one);
    const number = open.length;
    await one.promise;
    return number;
  };
  return { open, look };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('who asks while one looks gets what is seen after they asked, and all of them one look', async () => {
  const { open, look } = looks();
  const ask = sharing(look);
  const first = ask();
  await turn();
  const others = [ask(), ask(), ask()];
  await turn();
  expect(open).toHaveLength(1);
  open[0]?.resolve();
  expect(await first).toBe(1);
  await turn();
  open[1]?.resolve();
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  expect(open).toHaveLength(2);
  const later = ask();
  await turn();
  open[2]?.resolve();
  expect(await later).toBe(3);
});

test('a look that is put off is shared by all who ask until it begins', async () => {
  const { open, look } = looks();
  const held = Promise.withResolvers<void>();
  const ask = sharing(look, () => held.promise);
  const all = [ask(), ask()];
  await turn();
  all.push(ask());
  expect(open).toHaveLength(0);
  held.resolve();
  await turn();
  open[0]?.resolve();
  expect(await Promise.all(all)).toEqual([1, 1, 1]);
});

test('a look that fails fails for those who share it, and for nobody after them', async () => {
  let fails = true;
  const ask = sharing(async () => {
    if (fails) throw new Error('no');
    return 'yes';
  });
  await expect(ask()).rejects.toThrow('no');
  fails = false;
  expect(await ask()).toBe('yes');
});
