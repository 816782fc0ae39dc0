import { cite, type Source } from './evidence.ts';
import { at, type Json, keysOf, listOf, stringOf, wordOf } from './json.ts';
import type { Evidence, PlatformConfig } from './lane.ts';
import { baseOf, directoryOf, isBelow, join, type Snapshot } from './snapshot.ts';

const NAMES: readonly (readonly [RegExp, PlatformConfig['platform'], string])[] = [
  [/^fly(\.[\w-]+)?\.toml$/, 'fly', 'Fly.io'],
  [/^railway\.(json|toml)$/, 'railway', 'Railway'],
  [/^(vercel|now)\.json$/, 'vercel', 'Vercel'],
  [/^render\.ya?ml$/, 'other', 'Render'],
  [/^netlify\.toml$/, 'other', 'Netlify'],
  [/^wrangler\.(toml|jsonc?)$/, 'other', 'Cloudflare'],
  [/^app\.json$/, 'other', 'Heroku'],
  [/^serverless\.ya?ml$/, 'other', 'Serverless Framework'],
  [/^firebase\.json$/, 'other', 'Firebase'],
];

/** Configuration files of platforms, with the directory each stands in. */
export function platformConfigs(snapshot: Snapshot): readonly PlatformConfig[] {
  return snapshot.files.flatMap((file) => {
    const name = NAMES.find(([pattern]) => pattern.test(baseOf(file)));
    if (name !== undefined && isMeant(snapshot, file, name[2]))
      return [{ platform: name[1], product: name[2], path: directoryOf(file), file }];
    const google = googleProduct(snapshot, file);
    return google === undefined ? [] : [{ ...google, path: directoryOf(file), file }];
  });
}

// app.json belongs to Expo as often as to Heroku.
const isMeant = (snapshot: Snapshot, file: string, product: string): boolean =>
  product !== 'Heroku' ||
  ['buildpacks', 'addons', 'formation', 'stack'].some(
    (key) => at(snapshot.data(file), key) !== undefined,
  );

function googleProduct(
  snapshot: Snapshot,
  file: string,
): Pick<PlatformConfig, 'platform' | 'product'> | undefined {
  if (!/\.ya?ml$/.test(file)) return undefined;
  const data = snapshot.data(file);
  const version = stringOf(at(data, 'apiVersion')) ?? '';
  if (/^(serving\.knative\.dev|run\.googleapis\.com)\//.test(version))
    return { platform: 'cloudrun', product: 'Cloud Run' };
  if (
    /^cloudbuild\.ya?ml$/.test(baseOf(file)) &&
    /\brun\b[\s\S]{0,40}\bdeploy\b/.test(snapshot.text(file) ?? '')
  )
    return { platform: 'cloudrun', product: 'Cloud Run' };
  if (/^app\.ya?ml$/.test(baseOf(file)) && stringOf(at(data, 'runtime')) !== undefined)
    return { platform: 'other', product: 'App Engine' };
  return undefined;
}

export interface PlatformHints {
  readonly port: readonly Evidence[];
  readonly health: readonly Evidence[];
  readonly start: readonly Evidence[];
  readonly schedule: readonly Evidence[];
}

/** What platform files in a directory say about the service there. */
export function platformHints(snapshot: Snapshot, path: string): PlatformHints {
  const own = (name: string): Source & { data: Json | undefined } => {
    const file = join(path, name);
    return { file, text: snapshot.text(file) ?? '', data: snapshot.data(file) };
  };
  const fly = own('fly.toml');
  const railway = [own('railway.json'), own('railway.toml')];
  const vercel = own('vercel.json');
  return {
    port: [
      ...one(
        'port',
        wordOf(at(fly.data, 'http_service', 'internal_port')) ??
          wordOf(at(listOf(at(fly.data, 'services'))[0], 'internal_port')),
        fly,
        'internal_port',
        'fly-toml',
      ),
      ...cloudRunPorts(snapshot, path),
    ],
    health: [
      ...one('health_path', flyCheck(fly.data), fly, 'path', 'fly-toml'),
      ...railway.flatMap((source) =>
        one(
          'health_path',
          stringOf(at(source.data, 'deploy', 'healthcheckPath')),
          source,
          'healthcheckPath',
          'railway-config',
        ),
      ),
      ...renderValues(snapshot, path, 'healthCheckPath', 'health_path'),
    ],
    start: [
      ...railway.flatMap((source) =>
        one(
          'start',
          stringOf(at(source.data, 'deploy', 'startCommand')),
          source,
          'startCommand',
          'railway-config',
        ),
      ),
      ...renderValues(snapshot, path, 'startCommand', 'start'),
    ],
    schedule: listOf(at(vercel.data, 'crons')).flatMap((cron) =>
      one('schedule', stringOf(at(cron, 'schedule')), vercel, '"schedule"', 'vercel-cron'),
    ),
  };
}

function flyCheck(data: Json | undefined): string | undefined {
  const tables = [
    listOf(at(data, 'http_service', 'checks'))[0],
    listOf(at(listOf(at(data, 'services'))[0], 'http_checks'))[0],
    at(data, 'checks', keysOf(at(data, 'checks'))[0] ?? ''),
  ];
  return tables.map((table) => stringOf(at(table, 'path'))).find((path) => path !== undefined);
}

function cloudRunPorts(snapshot: Snapshot, path: string): readonly Evidence[] {
  return snapshot.files
    .filter(
      (file) =>
        directoryOf(file) === path && googleProduct(snapshot, file)?.platform === 'cloudrun',
    )
    .flatMap((file) => {
      const source = { file, text: snapshot.text(file) ?? '' };
      return one(
        'port',
        /containerPort:\s*(\d+)/.exec(source.text)?.[1],
        source,
        'containerPort',
        'cloud-run-service',
      );
    });
}

function renderValues(
  snapshot: Snapshot,
  path: string,
  key: string,
  field: string,
): readonly Evidence[] {
  const file = snapshot.files.find((name) => /^render\.ya?ml$/.test(name));
  if (file === undefined) return [];
  const source = { file, text: snapshot.text(file) ?? '' };
  return listOf(at(snapshot.data(file), 'services'))
    .filter(
      (service) =>
        stringOf(at(service, 'type')) === 'web' &&
        sameDirectory(stringOf(at(service, 'rootDir')) ?? '.', path),
    )
    .flatMap((service) => one(field, stringOf(at(service, key)), source, key, 'render-yaml'));
}

const sameDirectory = (a: string, b: string): boolean =>
  a.replace(/^\.\//, '').replace(/\/$/, '') === b || (a === '.' && b === '.');

function one(
  field: string,
  value: string | undefined,
  source: Source,
  needle: string,
  rule: string,
): readonly Evidence[] {
  return value === undefined ? [] : [cite(field, value, source, needle, rule)];
}

/** Platform files that speak for a lane: those beside it, else those of the directories above. */
export function configsFor(
  configs: readonly PlatformConfig[],
  path: string,
): readonly PlatformConfig[] {
  const beside = configs.filter((config) => config.path === path);
  return beside.length > 0 ? beside : configs.filter((config) => isBelow(path, config.path));
}
