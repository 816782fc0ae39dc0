import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makePlace } from './place.ts';

const makeHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), 'convoy-demo-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
};
const asked = (dir: string, env = {}) => ({ cwd: '/', dir, env });

test('a second demo removes what the first one made and nothing else', () => {
  const home = makeHome();
  const first = makePlace(asked(home), false);
  writeFileSync(join(first.folder, 'left'), '');
  mkdirSync(join(home, 'demo-2'));
  mkdirSync(join(home, 'mine'));
  const second = makePlace(asked(home), false);
  expect(second.folder).toBe(first.folder);
  expect(existsSync(join(second.folder, 'left'))).toBe(false);
  expect(existsSync(join(home, 'demo-2'))).toBe(true);
  expect(existsSync(join(home, 'mine'))).toBe(true);
});

test('an earlier demo stays when asked, and while its engine is up', () => {
  const home = makeHome();
  const first = makePlace(asked(home), false);
  expect(makePlace(asked(home), true).folder).toBe(join(home, 'demo-2'));
  mkdirSync(join(first.repository, '.convoy'));
  writeFileSync(
    join(first.repository, '.convoy', 'daemon.json'),
    JSON.stringify({ pid: process.pid }),
  );
  expect(makePlace(asked(home), false).folder).toBe(join(home, 'demo-2'));
  expect(existsSync(first.folder)).toBe(true);
});

test("the user's own workspace, ledger and token do not reach the demo", () => {
  const home = makeHome();
  const env = { PATH: '/bin', CONVOY_TOKEN: 't', CONVOY_LEDGER: 'l', CONVOY_PORT: '0' };
  const place = makePlace(asked(home, env), false);
  expect(place.env).toEqual({
    PATH: '/bin',
    CONVOY_PORT: '0',
    XDG_CACHE_HOME: join(place.folder, 'cache'),
  });
});
