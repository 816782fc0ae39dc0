import type { Ecosystem } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';

const ALWAYS = [
  '# Written by Convoy. Edit it and it is yours.',
  '# Nothing secret and nothing that is made anew belongs into the build context.',
  '**/.git',
  '**/.env',
  '**/.env.*',
  '!**/.env.example',
  '!**/.env.*schema',
  '**/*.pem',
  '**/*.key',
  '**/*.p12',
  '**/id_rsa*',
  '**/id_ed25519*',
  '**/.netrc',
  '**/.convoy',
  '**/.convoy-secrets',
  '.convoy-provenance.json',
  '.github',
  '**/Dockerfile*',
  '**/*.dockerignore',
  '**/fly*.toml',
  '**/railway*.json',
  '**/convoy.local*.json',
  '**/.DS_Store',
  '**/*.log',
];

const MADE: Readonly<Partial<Record<Ecosystem, readonly string[]>>> = {
  node: ['**/node_modules', '**/.next/cache', '**/coverage', '**/.turbo'],
  python: ['**/__pycache__', '**/*.pyc', '**/.venv', '**/venv', '**/.pytest_cache'],
  go: ['**/*.test'],
  rust: ['**/target'],
  ruby: ['**/vendor/bundle', '**/tmp/cache', '**/log/*'],
  php: ['**/vendor', '**/node_modules', '**/storage/logs/*'],
  jvm: ['**/target', '**/build', '**/.gradle'],
  dotnet: ['**/bin', '**/obj', '**/out'],
  elixir: ['**/_build', '**/deps', '**/node_modules'],
  swift: ['**/.build'],
  deno: ['**/node_modules', '**/.deno'],
};

/** Keeps secrets, histories and leftovers of earlier builds out of the image. */
export function dockerignore({ lane }: LaneLayout): string {
  return `${[...ALWAYS, ...(MADE[lane.ecosystem] ?? [])].join('\n')}\n`;
}
