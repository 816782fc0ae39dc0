const KNOWN = new Set([
  'ADD',
  'ARG',
  'CMD',
  'COPY',
  'ENTRYPOINT',
  'ENV',
  'EXPOSE',
  'FROM',
  'HEALTHCHECK',
  'LABEL',
  'RUN',
  'SHELL',
  'STOPSIGNAL',
  'USER',
  'VOLUME',
  'WORKDIR',
]);

type Instruction = { readonly word: string; readonly rest: string; readonly line: number };

/** What is wrong with a Dockerfile; nothing when it would be understood and is safe to run. */
export function checkDockerfile(text: string): readonly string[] {
  const found = instructions(text);
  const stages = lastStage(found);
  return [
    ...unknownWords(found),
    ...order(found),
    ...ending(stages),
    ...badForms(found),
    ...unknownStages(found),
  ];
}

/** Lines joined where a backslash continues them, without remarks. */
function instructions(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  let held = '';
  let began = 0;
  for (const [at, raw] of text.split('\n').entries()) {
    if (/^\s*#/.test(raw) || (held === '' && raw.trim() === '')) continue;
    if (held === '') began = at + 1;
    if (/\\\s*$/.test(raw)) {
      held += `${raw.replace(/\\\s*$/, '')} `;
      continue;
    }
    const [, word = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(held + raw) ?? [];
    found.push({ word: word.toUpperCase(), rest: rest.trim(), line: began });
    held = '';
  }
  if (held !== '') found.push({ word: '\\', rest: held, line: began });
  return found;
}

function unknownWords(found: readonly Instruction[]): readonly string[] {
  return found.flatMap(({ word, rest, line }) => {
    if (!KNOWN.has(word)) return [`line ${line}: ${word} is no instruction`];
    return rest === '' ? [`line ${line}: ${word} has no arguments`] : [];
  });
}

function order(found: readonly Instruction[]): readonly string[] {
  const first = found.find(({ word }) => word !== 'ARG');
  return first?.word === 'FROM' ? [] : ['it does not begin with FROM'];
}

const lastStage = (found: readonly Instruction[]): readonly Instruction[] =>
  found.slice(found.findLastIndex(({ word }) => word === 'FROM'));

function ending(stage: readonly Instruction[]): readonly string[] {
  const starts = stage.filter(({ word }) => word === 'CMD' || word === 'ENTRYPOINT');
  const user = stage.findLast(({ word }) => word === 'USER')?.rest;
  const root = user === undefined || /^(?:root|0)(?::|$)/.test(user);
  return [
    ...(starts.length === 0 ? ['the last stage has no CMD'] : []),
    ...(stage.filter(({ word }) => word === 'CMD').length > 1 ? ['it has more than one CMD'] : []),
    ...(root ? ['the last stage runs as root'] : []),
  ];
}

function badForms(found: readonly Instruction[]): readonly string[] {
  return found.flatMap(({ word, rest, line }) => {
    if ((word === 'CMD' || word === 'ENTRYPOINT') && rest.startsWith('[') && !isWords(rest))
      return [`line ${line}: ${word} is no list of words`];
    if (word === 'EXPOSE' && !rest.split(/\s+/).every(isPort))
      return [`line ${line}: EXPOSE names no port`];
    if (word === 'ENV' && !/^[A-Za-z_]\w*=/.test(rest))
      return [`line ${line}: ENV is not name=value`];
    return rest.includes('<<') ? [`line ${line}: a here-document reaches into the next lines`] : [];
  });
}

function unknownStages(found: readonly Instruction[]): readonly string[] {
  const names = new Set<string>();
  return found.flatMap(({ word, rest, line }) => {
    const name = word === 'FROM' ? /\sAS\s+(\S+)$/i.exec(rest)?.[1] : undefined;
    if (name !== undefined) names.add(name.toLowerCase());
    const from = word === 'COPY' ? /--from=(\S+)/.exec(rest)?.[1] : undefined;
    // With a slash, a colon or a dot it is an image, not a stage.
    const stage = from !== undefined && /^[a-z][\w-]*$/i.test(from);
    return stage && !names.has(from.toLowerCase())
      ? [`line ${line}: no stage is called ${from}`]
      : [];
  });
}

const isPort = (word: string): boolean => /^\d{1,5}(?:\/(?:tcp|udp))?$/.test(word);

function isWords(text: string): boolean {
  try {
    const words: unknown = JSON.parse(text);
    return (
      Array.isArray(words) && words.length > 0 && words.every((one) => typeof one === 'string')
    );
  } catch {
    return false;
  }
}
