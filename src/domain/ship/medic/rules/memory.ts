import { hits, nameOf, said, shown, traceAround } from '../case-file.ts';
import type { CaseFile, Rule } from '../case-file.ts';
import type { Candidate, Reference } from '../diagnosis.ts';
import { isKilled } from '../fault-signs.ts';
import { finding } from '../finding.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';

const WORDS =
  /JavaScript heap out of memory|Allocation failed|Reached heap limit|ERR_WORKER_OUT_OF_MEMORY|OutOfMemoryError|MemoryError\b|OOMKilled|Out of memory|out of memory|Allowed memory size of \d+ bytes exhausted|OutOfMemoryException|memory allocation of \d+ bytes failed|Cannot allocate memory|NoMemoryError|signal: killed/;

/** The process used more memory than it may. */
export const memory: Rule = (file) => {
  const hit = hits(file, WORDS).find(({ text }) => !/Perhaps out of memory\?/.test(text));
  const heap = heapSetting(file);
  const score = scoreOf(file, hit !== undefined);
  if (score === 0) return [];
  const at = hit?.at ?? Infinity;
  const place = heap ?? traceAround(file, at)?.places[0] ?? hoarder(file);
  return [
    finding(file, {
      rule: 'out-of-memory',
      // A bare kill may have other reasons.
      tier: score > 60 ? 'cause' : 'symptom',
      score,
      at,
      subject: 'memory',
      ...story(file, place, heap),
      evidence: [...(hit ? said(file, at) : ending(file)), ...shown(file, place)],
    }),
  ];
};

type Story = Pick<Candidate, 'rootCause' | 'classification' | 'fix'>;

function story(file: CaseFile, place: Place | null, heap: Place | null): Story {
  const begin = `The process ran out of memory${used(file)}`;
  if (heap !== null)
    return {
      rootCause: `${begin}; ${nameOf(heap)} lets the heap grow beyond the limit of the lane.`,
      classification: 'config',
      fix: `Make the heap in ${nameOf(heap)} smaller than the memory limit of the lane, or raise the limit.`,
    };
  if (place === null)
    return {
      rootCause: `${begin}.`,
      classification: 'infra',
      fix: 'Raise the memory limit of the lane, or find what grows with a heap profile under load.',
    };
  return {
    rootCause: `${begin}; ${nameOf(place)} keeps growing or allocates a lot.`,
    classification: 'code',
    fix: `Bound what ${nameOf(place)} keeps (limit, expire, stream), or raise the memory limit if it is really needed.`,
  };
}

const MEGABYTES: Readonly<Record<string, number>> = { g: 1024, m: 1, k: 1 / 1024 };

const size = (match: RegExpExecArray): number =>
  Number(match[1] ?? match[3] ?? match[4]) *
  (MEGABYTES[(match[2] ?? match[5] ?? 'm').toLowerCase()] ?? 1);

/** A heap size written into a command or an image that is larger than what the lane may use. */
function heapSetting(file: CaseFile): Place | null {
  const limit = file.evidence.resources?.limitMb;
  if (limit == null) return null;
  const written = grep(
    file.repo,
    /-Xmx(\d+)([gmk])|--max[-_]old[-_]space[-_]size[= ](\d+)|memory_limit\s*=\s*(\d+)([MG])/i,
    (path) => !/\.md$|lock/.test(path),
  );
  return written.find(({ match }) => size(match) >= limit) ?? null;
}

function scoreOf(file: CaseFile, spoken: boolean): number {
  const { exit } = file.evidence;
  if (spoken) return 95;
  if (atLimit(file)) return 88;
  return exit !== null && isKilled(exit) ? 50 : 0;
}

function used({ evidence: { resources } }: CaseFile): string {
  if (resources?.rssMb == null) return '';
  const limit = resources.limitMb === null ? '' : ` of ${resources.limitMb} MB`;
  return ` (it held ${Math.round(resources.rssMb)} MB${limit})`;
}

function ending(file: CaseFile): Reference[] {
  const { exit } = file.evidence;
  return [{ text: `exit code ${exit?.code ?? '-'}, signal ${exit?.signal ?? '-'}${used(file)}` }];
}

function atLimit(file: CaseFile): boolean {
  const { resources, exit } = file.evidence;
  if (resources?.rssMb == null || resources.limitMb === null) return false;
  return resources.rssMb >= resources.limitMb * 0.95 && exit !== null && exit.code !== 0;
}

/** A container outside any function that only grows, or one big allocation. */
function hoarder(file: CaseFile): Place | null {
  const big = grep(
    file.repo,
    /Buffer\.alloc\(|new Array\(\d{6,}|\.repeat\(\d{5,}|bytearray\(|'x' \* \d|\* 1024 \* 1024|1 << 2\d|make\(\[\]byte, \d{6,}/,
  );
  const containers = grep(
    file.repo,
    /^(?:export )?(?:const|let|var) (\w+)[^=]*= ?(?:\[\]|new (?:Map|Set|Array)\b|\{\})|^(\w+)\s*=\s*(?:\[\]|\{\}|list\(\)|dict\(\))|^(?:\s*(?:private |public )?static .*?(\w+)\s*=\s*new (?:ArrayList|HashMap|List|Dictionary))/,
  );
  const grown = containers.flatMap(({ match }) => {
    const name = match.slice(1).find((group) => group !== undefined) ?? '';
    const grows = new RegExp(
      `\\b${name}\\.(?:push|set|add|append|unshift|put|Add)\\(|\\b${name}\\[[^\\]]+\\]\\s*=[^=]|\\b${name} <<`,
    );
    const shrinks = new RegExp(
      `\\b${name}\\.(?:shift|pop|delete|clear|splice|remove|popitem)\\(|\\b${name}\\.length = |del ${name}\\[`,
    );
    return grep(file.repo, shrinks).length > 0 ? [] : grep(file.repo, grows);
  });
  const changed = new Set(file.evidence.changes.map((change) => change.file));
  const all = [...grown, ...big];
  return all.find((place) => changed.has(place.file)) ?? all[0] ?? null;
}
