/** How runners say how many tests they ran; the first group is the number. */
const COUNTS: readonly RegExp[] = [
  /^# tests (\d+)$/m, // node --test
  /^ℹ tests (\d+)$/m,
  /^\s*Tests\s+(?:\d+ failed \| )?(?:\d+ passed.*)?\((\d+)\)\s*$/m, // vitest
  /^Tests:\s+.*?(\d+) total$/m, // jest
  /^=+ .*?(\d+) passed.*=+$/m, // pytest
  /^Ran (\d+) tests? in /m, // unittest
  /^(\d+) passed, \d+ failed/m,
  /^test result: \w+\. (\d+) passed/m, // cargo
  /^(\d+) (?:examples|runs|tests), /m, // rspec, minitest
  /^Tests run: (\d+),/m, // surefire
];
const NONE: readonly RegExp[] = [
  /no tests? (?:found|ran|to run)/i,
  /collected 0 items/,
  /^\?\s+\S+\s+\[no test files\]$/m,
  /no test files found/i,
];

/** How many tests a gate's output reports; null when it reports no number. */
export function testsRan(output: string): number | null {
  const counted = COUNTS.flatMap((pattern) => {
    const found = pattern.exec(output)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
  if (counted.length > 0) return Math.max(...counted);
  return NONE.some((pattern) => pattern.test(output)) ? 0 : null;
}
