import { hits, nameOf, said, shown, traceAround, where } from '../case-file.ts';
import type { CaseFile, Rule } from '../case-file.ts';
import type { Reference } from '../diagnosis.ts';
import { isKilled } from '../fault-signs.ts';
import { finding } from '../finding.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';

const WORDS =
  /JavaScript heap out of memory|Allocation failed|Reached heap limit|ERR_WORKER_OUT_OF_MEMORY|OutOfMemoryError|MemoryError\b|OOMKilled|Out of memory|out of memory|Allowed memory size of \d+ bytes exhausted|OutOfMemoryException|memory allocation of \d+ bytes failed|Cannot allocate memory|NoMemoryError|signal: killed/;

/** The process used more memory than it may. */
export const memory: Rule = (file) => {
  const hit = hits(file, WORDS)[0];
  const score = scoreOf(file, hit !== undefined);
  if (score === 0) return [];
  const at = hit?.at ?? Infinity;
  const place = traceAround(file, at)?.places[0] ?? hoarder(file);
  return [
    finding(file, {
      rule: 'out-of-memory',
      // A bare kill may have other reasons.
      tier: score > 60 ? 'cause' : 'symptom',
      score,
      at,
      subject: 'memory',
      rootCause: `The process ran out of memory${used(file)}${where('; ', place, ' keeps growing or allocates a lot')}.`,
      classification: place === null ? 'infra' : 'code',
      fix:
        place === null
          ? 'Raise the memory limit of the lane, or find what grows with a heap profile under load.'
          : `Bound what ${nameOf(place)} keeps (limit, expire, stream), or raise the memory limit if it is really needed.`,
      evidence: [...(hit ? said(file, at) : ending(file)), ...shown(file, place)],
    }),
  ];
};

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
