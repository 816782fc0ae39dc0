/** One command of a chain: variables set in front of it and its words as written. */
export interface Command {
  readonly env: Readonly<Record<string, string>>;
  /** The command without its variables. */
  readonly text: string;
  readonly words: readonly string[];
  /** What joins it to the command before: empty for the first. */
  readonly joiner: '' | '&&' | ';' | '||' | '&' | '|';
}

const ENV_SETTERS = new Set(['cross-env', 'cross-env-shell', 'env']);
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/** Splits a shell line into its commands without interpreting anything else. */
export function commandsOf(line: string): readonly Command[] {
  const commands: Command[] = [];
  let joiner: Command['joiner'] = '';
  for (const piece of pieces(line)) {
    if (isJoiner(piece)) {
      joiner = piece;
      continue;
    }
    if (piece.trim() !== '') commands.push(commandOf(piece.trim(), joiner));
  }
  return commands;
}

/** Every variable that the commands of a chain set; a later one wins. */
export function variablesOf(commands: readonly Command[]): Readonly<Record<string, string>> {
  return Object.fromEntries(commands.flatMap(({ env }) => Object.entries(env)));
}

export function joined(commands: readonly Command[]): string {
  return commands
    .map((command, index) =>
      index === 0 || command.joiner === '' ? command.text : `${command.joiner} ${command.text}`,
    )
    .join(' ');
}

function isJoiner(piece: string): piece is '&&' | ';' | '||' | '&' | '|' {
  return ['&&', '||', ';', '&', '|'].includes(piece);
}

function pieces(line: string): readonly string[] {
  const found: string[] = [];
  let current = '';
  let quote = '';
  for (let index = 0; index < line.length; index += 1) {
    const sign = line[index] ?? '';
    if (quote !== '') {
      if (sign === quote) quote = '';
      current += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      current += sign;
    } else if (line.startsWith('&&', index) || line.startsWith('||', index)) {
      found.push(current, line.slice(index, index + 2));
      current = '';
      index += 1;
    } else if (endsCommand(line, index)) {
      found.push(current, sign);
      current = '';
    } else current += sign;
  }
  return [...found, current];
}

// The ampersand of a redirection such as 2>&1 ends no command.
function endsCommand(line: string, index: number): boolean {
  const sign = line[index];
  if (sign === ';' || sign === '|') return true;
  return sign === '&' && line[index - 1] !== '>' && line[index + 1] !== '>';
}

function commandOf(text: string, joiner: Command['joiner']): Command {
  const words = wordsOf(text);
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < words.length; first += 1) {
    const word = words[first] ?? '';
    const assignment = ASSIGNMENT.exec(word);
    if (assignment !== null) env[assignment[1] ?? ''] = unquoted(assignment[2] ?? '');
    else if (word === 'exec') continue;
    else if (!ENV_SETTERS.has(word)) break;
  }
  const rest = words.slice(first);
  // `export A=b` or a lone assignment has nothing left to run: keep it as written.
  if (rest.length === 0) return { env: {}, text, words, joiner };
  return { env, text: rest.join(' '), words: rest.map(unquoted), joiner };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
}

function unquoted(word: string): string {
  return word.replaceAll(/["']/g, '');
}
