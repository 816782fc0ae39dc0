import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXECUTION_MARKER } from '../../src/ports/executor.ts';
import { ledgerDump } from '../ledger-dump.ts';
import { makeQueue, type QueueRig } from '../queue/rig.ts';

test('the token of a real attempt is in its own environment and nowhere else', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'convoy-told-'));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const [told, go] = [join(outside, 'told'), join(outside, 'go')];
  // It tells the test its token, uses it, says things, and waits until it has been looked for.
  const rig = await makeQueue({
    agent: `
printf %s "$CONVOY_TOKEN" > "${told}.part" && mv "${told}.part" "${told}"
echo "I work on $CONVOY_TASK_ID"; echo "and complain" >&2
echo "$CONVOY_TASK_TITLE" > "$CONVOY_TASK_ID.txt"
until [ -e "${go}" ]; do sleep 0.1; done`,
  });
  const task = await rig.task('Keep it to yourself');
  const { url } = await rig.ok(['up', '--detach']);
  const { convoy_id: convoy } = await rig.ok(['launch', task]);
  await rig.until(
    async () => existsSync(told),
    (there) => there,
  );
  const token = readFileSync(told, 'utf8');
  const answer = await fetch(`${url}/api/v1/tasks/${task}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  expect(await leaksOf(token, rig)).toEqual([]);

  writeFileSync(go, '');
  await rig.until(
    () => rig.status(convoy),
    ({ status }) => status === 'landed',
  );
  expect(await leaksOf(token, rig)).toEqual([]);
  // The very search would have found it: it finds what an attempt does leave behind.
  expect(await leaksOf(task, rig)).toEqual(
    expect.arrayContaining(['the ledger', expect.stringMatching(/^\.convoy\/logs\/.*/)]),
  );
});

/** Every place of this machine that holds the text and is not an attempt's own process. */
async function leaksOf(text: string, rig: QueueRig): Promise<string[]> {
  return [
    ...filesBelow(rig.root)
      .filter((file) => readFileSync(join(rig.root, file), 'latin1').includes(text))
      .map((file) => file.replace(/^web\//, '')),
    ...((await ledgerDump(rig.ledger)).includes(text) ? ['the ledger'] : []),
    ...objectStoresBelow(rig.root).filter((store) => objectsIn(store, rig).includes(text)),
    ...processesWith(text),
  ];
}

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => statSync(join(dir, name), { throwIfNoEntry: false })?.isFile() === true,
  );

const objectStoresBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('/objects') && existsSync(join(dir, name, 'pack')))
    .map((name) => join(dir, name));

/** Git keeps its objects packed, where a plain search sees nothing. */
const objectsIn = (store: string, { repo }: QueueRig): string =>
  execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--unordered'], {
    cwd: repo,
    env: { PATH: process.env['PATH'], GIT_OBJECT_DIRECTORY: store },
    encoding: 'latin1',
    maxBuffer: 2 ** 28,
  });

/** Processes with the text in their command line, or in an environment that is no attempt's. */
function processesWith(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const environment = ofProcess(pid, 'environ');
    const isAttempts = environment.includes(`${EXECUTION_MARKER}=`);
    return [
      ...(ofProcess(pid, 'cmdline').includes(text) ? [`the command line of ${pid}`] : []),
      ...(!isAttempts && environment.includes(text) ? [`the environment of ${pid}`] : []),
    ];
  });
}

function ofProcess(pid: string, what: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}
