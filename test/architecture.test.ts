import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** The law. `layers`: folders of src/ a layer may import. `outside`: packages it may use; 'node' is Node itself. */
const LAW: Record<string, { layers: string[]; outside: string[] }> = {
  lib: { layers: [], outside: [] },
  domain: { layers: ['lib'], outside: [] },
  ports: { layers: ['domain', 'lib'], outside: [] },
  config: { layers: ['domain', 'ports', 'lib'], outside: ['zod', 'smol-toml', 'node'] },
  contract: { layers: ['domain', 'lib'], outside: ['zod'] },
  ledger: { layers: ['domain', 'ports', 'lib'], outside: ['kysely', 'pg', 'node'] },
  engine: { layers: ['domain', 'ports', 'ledger', 'lib'], outside: [] },
  adapters: {
    layers: ['ports', 'domain', 'lib'],
    outside: [
      'node',
      'zod',
      'yaml',
      'smol-toml',
      'ai',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
      '@agentclientprotocol/sdk',
      '@octokit/rest',
    ],
  },
  api: {
    layers: ['contract', 'ledger', 'domain', 'ports', 'lib'],
    outside: ['hono', '@hono/zod-openapi', 'zod', 'kysely'],
  },
  client: { layers: ['contract', 'lib'], outside: [] },
  mcp: { layers: ['client', 'contract', 'lib'], outside: ['zod', '@modelcontextprotocol/sdk'] },
  cli: {
    layers: ['client', 'contract', 'config', 'mcp', 'lib'],
    outside: ['node', 'commander', 'picocolors', 'string-width'],
  },
  simulator: { layers: ['domain', 'ports', 'ledger', 'engine', 'lib'], outside: [] },
  daemon: {
    layers: [
      'engine',
      'adapters',
      'api',
      'client',
      'contract',
      'ledger',
      'ports',
      'config',
      'domain',
      'lib',
    ],
    outside: ['node', 'hono', '@hono/node-server'],
  },
};

const SRC = resolve('src');
const MOST_LINES = 400;
const MOST_LIB_FILES = 10;

const everyFile = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => resolve(SRC, file));
const sources = everyFile.filter((file) => !file.endsWith('.test.ts'));

test('there are sources to check', () => expect(sources).not.toEqual([]));

test('every layer keeps the import law', () => {
  const broken = sources.flatMap((file) => {
    const law = LAW[layerOf(file)];
    if (law === undefined) return [`${relative(SRC, file)}: ${layerOf(file)}/ is not in the law`];
    return importsOf(file)
      .filter((spec) => !isAllowed(spec, file, law))
      .map((spec) => `${relative(SRC, file)} imports ${spec}`);
  });
  expect(broken).toEqual([]);
});

test('no adapter reaches into another adapter', () => {
  const broken = sources
    .filter((file) => layerOf(file) === 'adapters')
    .flatMap((file) =>
      importsOf(file)
        .filter((spec) => spec.startsWith('.'))
        .map((spec) => resolve(dirname(file), spec))
        .filter((target) => layerOf(target) === 'adapters' && roomOf(target) !== roomOf(file))
        .map((target) => `${relative(SRC, file)} imports ${relative(SRC, target)}`),
    );
  expect(broken).toEqual([]);
});

test('no file is longer than 400 lines', () => {
  const long = everyFile.filter(
    (file) =>
      !file.includes('/fixtures/') && readFileSync(file, 'utf8').split('\n').length > MOST_LINES,
  );
  expect(long.map((file) => relative(SRC, file))).toEqual([]);
});

test('no drawers: index, utils, types, helpers and common are not file names', () => {
  const drawers = everyFile.filter((file) =>
    /\/(index|utils?|types|helpers?|common)\.ts$/.test(file),
  );
  expect(drawers.map((file) => relative(SRC, file))).toEqual([]);
});

test('lib stays small', () => {
  const lib = sources.filter((file) => layerOf(file) === 'lib');
  expect(lib.length).toBeLessThanOrEqual(MOST_LIB_FILES);
});

function isAllowed(
  spec: string,
  from: string,
  law: { layers: string[]; outside: string[] },
): boolean {
  if (spec.startsWith('node:')) return law.outside.includes('node');
  if (!spec.startsWith('.')) return law.outside.includes(packageOf(spec));
  const layer = layerOf(resolve(dirname(from), spec));
  return layer === layerOf(from) || law.layers.includes(layer);
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const { module } = parseSync(file, text);
  const reexports = module.staticExports.flatMap(({ entries }) =>
    entries.map((entry) => entry.moduleRequest?.value),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
  );
  return [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...reexports,
    ...dynamic,
  ].filter((spec) => spec != null);
}

const layerOf = (file: string): string => relative(SRC, file).split('/')[0] ?? '';
const roomOf = (file: string): string => relative(SRC, file).split('/')[1] ?? '';
const packageOf = (spec: string): string =>
  spec
    .split('/')
    .slice(0, spec.startsWith('@') ? 2 : 1)
    .join('/');
