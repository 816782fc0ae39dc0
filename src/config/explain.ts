import type { ExplainedValue } from '../ports/settings.ts';
import { DEFAULTS, defaultReview } from './defaults.ts';
import { DEFAULT_PORT, given } from './environment.ts';
import { keyOf } from './render-toml.ts';
import { lineOf, type Layout } from './scan.ts';
import { isTable, valueAt, type Table } from './tree.ts';

type Source = { readonly config: Table; readonly layout: Layout; readonly file: string };

/** Every value that counts, as it would be written, and where it comes from. */
export function explainValues(
  source: Source,
  env: Readonly<Record<string, string | undefined>>,
): readonly ExplainedValue[] {
  const { config } = source;
  return [
    ...fromFile(['workspace'], DEFAULTS.workspace, source),
    ...namesIn(config, 'notify').flatMap((name) => fromFile(['notify', name], {}, source)),
    ...fromFile(['budget'], DEFAULTS.budget, source),
    ...fromFile(['model'], DEFAULTS.model, source),
    ...namesIn(config, 'agents').flatMap((name) =>
      fromFile(['agents', name], DEFAULTS.agent, source),
    ),
    ...namesIn(config, 'repos').flatMap((name) => explainRepo(name, source)),
    ...fromFile(['github'], DEFAULTS.github, source),
    ...fromFile(['retention'], DEFAULTS.retention, source),
    ...fromFile(['ship'], DEFAULTS.ship, source),
    ...VARIABLES.map((variable) => fromVariable(variable, env)),
  ];
}

function explainRepo(name: string, source: Source): readonly ExplainedValue[] {
  const path = ['repos', name];
  const repo = valueAt(source.config, path);
  const { gates, ...own } = isTable(repo) ? repo : {};
  const review = defaultReview(own['reviewer']);
  const count = Array.isArray(gates) ? gates.length : 0;
  return [
    ...fromFile(path, { ...DEFAULTS.repo, review }, source, Object.keys(own)),
    ...Array.from({ length: count }, (_, index) =>
      fromFile([...path, 'gates', String(index)], DEFAULTS.gate, source),
    ).flat(),
  ];
}

/** The keys written in one table, and the defaults of those that are not. */
function fromFile(
  path: readonly string[],
  defaults: Table,
  { config, layout, file }: Source,
  written: readonly string[] = Object.keys(valueAt(config, path) ?? {}),
): readonly ExplainedValue[] {
  const keys = new Set([...written, ...Object.keys(defaults)]);
  return [...keys].map((key) => {
    const full = [...path, key];
    const value = valueAt(config, full);
    if (value === undefined) {
      return {
        key: keyOf(full),
        value: defaults[key] ?? null,
        source: 'default',
        where: 'built in',
      };
    }
    const line = lineOf(layout, full);
    const where = line === null ? file : `${file}:${line}`;
    return { key: keyOf(full), value, source: 'file', where };
  });
}

type Variable = {
  readonly key: string;
  readonly names: readonly string[];
  readonly fallback: unknown;
  /** Secret values are only said to be set. */
  readonly secret?: true;
};

const VARIABLES: readonly Variable[] = [
  {
    key: 'ledger',
    names: ['CONVOY_LEDGER', 'CONVOY_STATE_PATH'],
    fallback: '.convoy/ledger.db',
  },
  { key: 'plans_dir', names: ['CONVOY_PLANS_DIR'], fallback: '.convoy/plans' },
  { key: 'port', names: ['CONVOY_PORT'], fallback: DEFAULT_PORT },
  { key: 'web_url', names: ['CONVOY_WEB_URL'], fallback: null },
  { key: 'url', names: ['CONVOY_URL'], fallback: null },
  { key: 'token', names: ['CONVOY_TOKEN'], fallback: null, secret: true },
  { key: 'anthropic.api_key', names: ['ANTHROPIC_API_KEY'], fallback: null, secret: true },
  { key: 'anthropic.base_url', names: ['ANTHROPIC_BASE_URL'], fallback: null },
  { key: 'openai.api_key', names: ['OPENAI_API_KEY'], fallback: null, secret: true },
  { key: 'openai.base_url', names: ['OPENAI_BASE_URL'], fallback: null },
  { key: 'github.token', names: ['GITHUB_TOKEN'], fallback: null, secret: true },
  { key: 'github.api_url', names: ['GITHUB_API_URL'], fallback: null },
];

function fromVariable(
  { key, names, fallback, secret }: Variable,
  env: Readonly<Record<string, string | undefined>>,
): ExplainedValue {
  const name = names.find((one) => given(env, one) !== null);
  if (name === undefined) return { key, value: fallback, source: 'default', where: 'built in' };
  const value = secret ? '(set)' : withoutPassword(given(env, name) ?? '');
  return { key, value, source: 'environment', where: name };
}

const withoutPassword = (text: string): string =>
  text.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/@]*):[^@]*@/i, '$1:(hidden)@');

const namesIn = (config: Table, kind: string): readonly string[] =>
  Object.keys(valueAt(config, [kind]) ?? {});
