import type { Arg, Option, Shape } from './command.ts';
import { GLOBAL_OPTIONS, NOUNS } from './globals.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** The completion script of a shell, with the whole table in it: completing starts no process. */
export function completionScript(shell: Shell, commands: readonly Shape[]): string {
  return { bash, zsh, fish }[shell](placesOf(commands));
}

/** What can follow after some words of a command line. */
type Place = {
  readonly path: string;
  /** The next words and what they do. */
  readonly words: readonly (readonly [string, string])[];
  readonly options: readonly Option[];
  readonly args: readonly Arg[];
};

function placesOf(commands: readonly Shape[]): Place[] {
  const paths = new Set(
    commands.flatMap(({ path }) => [0, ...path.keys()].map((end) => path.slice(0, end).join(' '))),
  );
  for (const { path } of commands) paths.add(path.join(' '));
  return [...paths].map((path) => {
    const own = commands.find((command) => command.path.join(' ') === path);
    const options: readonly Option[] = [...(own?.options ?? []), ...GLOBAL_OPTIONS];
    return {
      path,
      words: wordsAfter(path === '' ? [] : path.split(' '), commands),
      options: options.filter((option) => !option.hidden),
      args: own?.args ?? [],
    };
  });
}

function wordsAfter(path: readonly string[], commands: readonly Shape[]): [string, string][] {
  const found = new Map<string, string>();
  for (const command of commands) {
    const next = command.path[path.length];
    if (next === undefined || !path.every((word, at) => command.path[at] === word)) continue;
    const ends = command.path.length === path.length + 1;
    const noun = NOUNS[[...path, next].join(' ')] ?? next;
    if (!found.has(next)) found.set(next, ends ? command.summary : noun);
  }
  return [...found];
}

const flagsOf = (option: Option): string[] => [
  `--${option.name}`,
  ...(option.kind === 'flag' && option.negatable ? [`--no-${option.name}`] : []),
  ...(option.short === undefined ? [] : [`-${option.short}`]),
];

const takesValue = (option: Option): boolean => option.kind !== 'flag';
const choicesOf = (of: Option | Arg): readonly string[] => ('choices' in of && of.choices) || [];
const nextWords = (place: Place): string[] => [
  ...place.words.map(([word]) => word),
  ...place.args.flatMap((arg) => choicesOf(arg)),
];

function bash(places: readonly Place[]): string {
  return `# bash completion for convoy: eval "$(convoy completion bash)"
_convoy_words() {
  case "$1" in
${places.map((place) => `    ${quoted(place.path)}) echo ${quoted(nextWords(place).join(' '))} ;;`).join('\n')}
  esac
}
_convoy_options() {
  case "$1" in
${places.map((place) => `    ${quoted(place.path)}) echo ${quoted(place.options.flatMap(flagsOf).join(' '))} ;;`).join('\n')}
  esac
}
# Succeeds for an option that takes a value, and prints the values when they are known.
_convoy_values() {
  case "$1 $2" in
${valueCases(places)}
    *) return 1 ;;
  esac
}
_convoy() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' value='' i word
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $value ]]; then
      [[ $word == = ]] || value=''
    elif [[ $word == -* ]]; then
      _convoy_values "$path" "$word" >/dev/null && value=$word
    elif [[ " $(_convoy_words "$path") " == *" $word "* ]]; then
      path="\${path:+$path }$word"
    fi
  done
  [[ $cur == = ]] && cur=''
  if [[ -n $value ]]; then
    COMPREPLY=($(compgen -W "$(_convoy_values "$path" "$value")" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_convoy_options "$path")" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$(_convoy_words "$path")" -- "$cur"))
  fi
}
complete -o default -F _convoy convoy
`;
}

function valueCases(places: readonly Place[]): string {
  return places
    .flatMap((place) =>
      place.options.filter(takesValue).map((option) => {
        const patterns = flagsOf(option).map((flag) => quoted(`${place.path} ${flag}`));
        return `    ${patterns.join(' | ')}) echo ${quoted(choicesOf(option).join(' '))} ;;`;
      }),
    )
    .join('\n');
}

function zsh(places: readonly Place[]): string {
  const cases = places.map((place) => {
    const choices = place.args.flatMap((arg) =>
      choicesOf(arg).map((word) => [word, arg.summary] as const),
    );
    const options = place.options.flatMap((option) =>
      flagsOf(option).map((flag) => [flag, option.summary] as const),
    );
    return `    ${quoted(place.path)})
      next=(${described([...place.words, ...choices])})
      options=(${described(options)}) ;;`;
  });
  return `#compdef convoy
# zsh completion for convoy: eval "$(convoy completion zsh)"
_convoy_values() {
  case "$1 $2" in
${valueCases(places)}
    *) return 1 ;;
  esac
}
_convoy_place() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_convoy() {
  local here='' value='' word
  local -a next options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $value ]]; then
      value=''
    elif [[ $word == -* ]]; then
      _convoy_values "$here" "$word" >/dev/null && value=$word
    elif _convoy_place "\${here:+$here }$word"; then
      here="\${here:+$here }$word"
    fi
  done
  if [[ -n $value ]]; then
    local -a known
    known=(\${=$(_convoy_values "$here" "$value")})
    if ((\${#known})); then compadd -a known; else _files; fi
    return
  fi
  _convoy_place "$here"
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe option options
  elif ((\${#next})); then
    _describe command next
  else
    _files
  fi
}
compdef _convoy convoy
`;
}

/** `word:what it does`, as _describe wants it. */
const described = (rows: readonly (readonly [string, string])[]): string =>
  rows.map(([word, says]) => quoted(`${word}:${says.replaceAll(':', ' -')}`)).join(' ');

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const here = `-n ${quoted(`__convoy_at ${place.path}`.trimEnd())}`;
    const words = place.words.map(
      ([word, says]) => `complete -c convoy -f ${here} -a ${quoted(word)} -d ${quoted(says)}`,
    );
    const choices = place.args
      .filter((arg) => choicesOf(arg).length > 0)
      .map((arg) => `complete -c convoy -f ${here} -a ${quoted(choicesOf(arg).join(' '))}`);
    return [...words, ...choices, ...place.options.map((option) => fishOption(option, here))];
  });
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion for convoy: convoy completion fish | source
function __convoy_at
    set -l here
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $here $word) ${known.join(' ')}
            set -a here $word
        end
    end
    test "$here" = "$argv"
end
${lines.join('\n')}
`;
}

function fishOption(option: Option, here: string): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const choices = choicesOf(option);
  const value = takesValue(option) ? ' -r' : '';
  const known = choices.length > 0 ? ` -f -a ${quoted(choices.join(' '))}` : '';
  return `complete -c convoy ${here} -l ${option.name}${short}${value}${known} -d ${quoted(option.summary)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
