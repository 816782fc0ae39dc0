import { hits, locate, nameOf, said, shown } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { escape } from '../env-names.ts';
import { finding } from '../finding.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';

const WORDS: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [
    /failed to (?:calculate|compute) (?:checksum|cache key)[^"]*"?(\/?[\w./*-]+)"?: not found/,
    (m) => `it copies ${m[1]}, which is not in the build context`,
  ],
  [
    /(?:COPY|ADD) failed: (?:file not found in build context or excluded by \.dockerignore: )?(?:stat |no source files)?.*?([\w.-]+)?: ?(?:file does not exist|no such file)/,
    (m) => `it copies ${m[1] ?? 'a file'}, which is not in the build context`,
  ],
  [
    /dockerfile parse error(?: on)? line (\d+): (.+)/i,
    (m) => `line ${m[1]} cannot be parsed (${m[2]})`,
  ],
  [
    /Dockerfile:(\d+): (unknown instruction.*|.*parse error.*)/i,
    (m) => `line ${m[1]} cannot be parsed (${m[2]})`,
  ],
  [/unknown instruction: (\w+)/i, (m) => `it has the unknown instruction ${m[1]}`],
  [
    /(?:pull access denied for (\S+?)[,:]|manifest for (\S+) not found|failed to resolve source metadata for (\S+): )/,
    (m) => `its base image ${m[1] ?? m[2] ?? m[3]} cannot be found`,
  ],
  [
    /(?:process|The command) ["'](?:\/bin\/sh -c )?(.+?)["'] (?:did not complete successfully: exit code:|returned a non-zero code:) (\d+)/,
    (m) => `its step \`${m[1]}\` ended with code ${m[2]}`,
  ],
];

/** The image does not build, or the manifest for the platform is wrong. */
export const dockerfile: Rule = (file) =>
  WORDS.flatMap(([pattern, because], index) =>
    hits(file, pattern)
      .slice(0, 1)
      .map((hit) => card(file, hit, because(hit.match), index === WORDS.length - 1)),
  );

function card(file: CaseFile, hit: Hit, because: string, isStep: boolean): Candidate {
  const place = placeOf(file, hit, isStep);
  const path =
    place?.file ?? file.repo.paths.find((one) => /(?:^|\/)Dockerfile$/.test(one)) ?? 'Dockerfile';
  const owned = file.evidence.ownedFiles.includes(path) ? 'convoy' : 'developer';
  return finding(file, {
    rule: 'dockerfile',
    // A failed step is only the frame; what the step printed above it is the cause, if anything was understood.
    tier: isStep ? 'symptom' : 'cause',
    score: isStep ? 60 : 94,
    at: hit.at,
    subject: `file:${path}`,
    rootCause: `The image cannot be built from ${place ? nameOf(place) : path}: ${because}.`,
    classification: 'config',
    owned,
    fix:
      owned === 'convoy'
        ? `Write ${path} again so that it fits the repository, and rehearse once more.`
        : `Correct ${place ? nameOf(place) : path}, or check what .dockerignore leaves out.`,
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

function placeOf(file: CaseFile, hit: Hit, isStep: boolean): Place | null {
  const around = file.lines
    .slice(Math.max(0, hit.at - 12), hit.at + 12)
    .map((line) => line.text)
    .join('\n');
  const printed =
    /\b((?:[\w.-]+\/)*Dockerfile[\w.-]*):(\d+)/.exec(around) ?? /()line (\d+)/.exec(hit.text);
  const place = printed
    ? locate(file, printed[1] === '' ? 'Dockerfile' : (printed[1] ?? ''), Number(printed[2]))
    : null;
  if (place !== null) return place;
  const thing = hit.match.slice(1).find((group) => group !== undefined) ?? '';
  const name = isStep ? thing.slice(0, 30) : (thing.split('/').at(-1) ?? thing);
  return name === ''
    ? null
    : (grep(file.repo, new RegExp(escape(name)), (path) => /Dockerfile/.test(path))[0] ?? null);
}
