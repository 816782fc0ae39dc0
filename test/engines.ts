import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files that bring both engines along, in one run. */
export const OF_BOTH_ENGINES = 'test/{ledger,postgres}/**/*.test.ts';

/** Files that open a ledger and still run once, with the reason. */
export const ONCE: Readonly<Record<string, string>> = {
  'test/cli/demo.test.ts': 'the demo brings a ledger of its own and does not look at CONVOY_LEDGER',
  'test/crash/disk-full.test.ts': 'what runs full is the file of the embedded ledger',
  'test/e2e/agents/real-tools.test.ts':
    'programs of other makers, the slowest of all; the engine changes nothing of what they do',
  'test/readme.test.ts': 'the pages show the embedded ledger, down to the name of its file',
};

/** The rigs ask this file where the ledger of a test is, so whoever imports it can run on either engine. */
const CHOOSER = 'test/postgres/ledger-of-test.ts';

/** Test files that run once on each engine: those whose rigs leave the choice to the run. */
export const onEachEngine = (): string[] =>
  testFiles().filter((file) => !(file in ONCE) && reachOf(file).has(CHOOSER));

/** Test files that open a ledger, or start the program that does, and fix the engine themselves. */
export const onOneEngine = (): string[] =>
  testFiles().filter((file) => {
    const reach = [...reachOf(file)];
    const opens = reach.some((each) => OPENS.test(readFileSync(each, 'utf8')));
    return opens && (file in ONCE || !reach.includes(CHOOSER));
  });

/** Files of those that name the ledger's file themselves, where they should ask for its place. */
export const namingTheFile = (): string[] =>
  [...new Set(onEachEngine().flatMap((file) => [...reachOf(file)]))].filter((file) =>
    /openLedger\(\s*join\(/.test(readFileSync(file, 'utf8')),
  );

const OPENS = /\b(openLedger|openServices|initWorkspace|startDaemon)\(|bin\/convoy\.js/;

const testFiles = (): string[] =>
  globSync('test/**/*.test.ts', { exclude: ['**/fixtures/**', OF_BOTH_ENGINES] })
    .filter((file) => file !== 'test/architecture.test.ts')
    .toSorted();

/** A test file with all of `test/` that it imports, directly or not. */
function reachOf(file: string, seen = new Set<string>()): Set<string> {
  seen.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
    const imported = join(dirname(file), path);
    if (imported.startsWith('test/') && !seen.has(imported)) reachOf(imported, seen);
  }
  return seen;
}
