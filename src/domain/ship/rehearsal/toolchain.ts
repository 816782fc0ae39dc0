/** Programs that a machine has or has not; anything else a project brings along itself. */
const TOOLCHAINS: ReadonlySet<string> = new Set(
  `node npm npx pnpm yarn bun bunx deno corepack
   python python3 pip pip3 uv poetry pipenv pdm
   go cargo rustc ruby bundle gem php composer
   java mvn gradle dotnet elixir mix iex swift
   docker docker-compose podman make cmake`.split(/\s+/),
);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** The program that a command line runs first, null where only a shell could tell. */
export function programOf(command: string): string | null {
  const words = command.trim().split(/\s+/);
  const word = words.find((candidate) => !ASSIGNMENT.test(candidate) && candidate !== 'exec');
  if (word === undefined || word === '' || /[`$(){}<>|&;'"*?[\]~#]/.test(word)) return null;
  return word;
}

/** The toolchains that the commands need and the machine lacks. */
export function missingToolchains(
  commands: readonly (string | null)[],
  isInstalled: (program: string) => boolean,
): string[] {
  const needed = commands
    .flatMap((command) => (command ?? '').split(/&&|\|\||;/))
    .map(programOf)
    .filter((program) => program !== null)
    .filter((program) => TOOLCHAINS.has(program) && !isInstalled(program));
  return [...new Set(needed)];
}
