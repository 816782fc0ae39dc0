// A reviewer with one rule: whoever reads the body of a request must say how long it may be.
// Convoy names the diff and the file for the verdict; everything else is up to the reviewer.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const { CONVOY_DIFF_FILE, CONVOY_VERDICT_FILE } = process.env;
const findings = added(readFileSync(CONVOY_DIFF_FILE, 'utf8')).flatMap(unlimitedReads);
const verdict = findings.length === 0 ? 'approve' : 'reject';
writeFileSync(CONVOY_VERDICT_FILE, JSON.stringify({ verdict, findings }));
process.stdout.write(`${verdict}: ${findings.length} findings\n`);

/** The lines a diff adds, by file, each with its number. */
function added(diff) {
  const files = [];
  let at = 0;
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -\S+ \+(\d+)/.exec(line);
    if (line.startsWith('+++ ')) files.push({ file: line.slice(4).replace(/^b\//, ''), lines: [] });
    else if (hunk) at = Number(hunk[1]);
    else if (line.startsWith('+')) files.at(-1)?.lines.push({ number: at++, text: line.slice(1) });
    else if (line.startsWith(' ')) at++;
  }
  return files;
}

function unlimitedReads({ file, lines }) {
  if (!file.startsWith('src/') || lines.some(({ text }) => text.includes('MOST_BYTES'))) return [];
  return lines
    .filter(({ text }) => text.includes('of request)'))
    .map(({ number }) => ({
      file,
      line: number,
      severity: 'error',
      text: 'The body is read to its end however long it is; limit it and answer 413.',
    }));
}
