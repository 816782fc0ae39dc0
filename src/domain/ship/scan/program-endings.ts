import type { Ecosystem } from './lane.ts';

const SCRIPT = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx'];

const ENDINGS: Readonly<Record<Ecosystem, readonly string[]>> = {
  node: SCRIPT,
  deno: SCRIPT,
  python: ['.py'],
  go: ['.go'],
  rust: ['.rs'],
  ruby: ['.rb', '.ru'],
  php: ['.php'],
  jvm: ['.java', '.kt', '.scala'],
  dotnet: ['.cs', '.fs'],
  elixir: ['.ex', '.exs'],
  swift: ['.swift'],
  static: [],
  docker: [],
  unknown: [],
};

/** Endings of the files an ecosystem's programs are written in. */
export const programEndings = (ecosystem: Ecosystem): readonly string[] => ENDINGS[ecosystem];
