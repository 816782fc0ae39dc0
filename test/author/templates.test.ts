import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { lintFile } from '../../src/adapters/author/lint.ts';
import { sha256 } from '../../src/adapters/author/survey-repository.ts';
import { authorPlan, type AuthorPlan } from '../../src/domain/ship/author/author-plan.ts';
import type { AuthorLane, PlatformName } from '../../src/domain/ship/author/lane.ts';
import type { Survey } from '../../src/domain/ship/author/survey.ts';
import { LANES } from './lanes.ts';
import { GENERATED_AT, nodeLane } from './rig.ts';

const PLATFORMS: readonly PlatformName[] = ['fly', 'railway', 'vercel', 'cloudrun', 'local'];

const plan = (lanes: readonly AuthorLane[], survey: Survey = []): AuthorPlan =>
  authorPlan({
    project: 'shop',
    lanes,
    survey,
    provenance: null,
    generatedAt: GENERATED_AT,
    sha256,
    lint: lintFile,
  });

const contentOf = (made: AuthorPlan, path: string): string =>
  made.files.find((file) => file.path === path)?.content ?? `no ${path}`;

const file = (path: string) => ({ path, sort: 'file', digests: [] }) as const;

describe.each(PLATFORMS)('on %s', (platform) => {
  test.each(LANES)('$ecosystem with $packageManager ($start) gives files that parse', (lane) => {
    const made = plan([nodeLane({ ...lane, platform })]);
    expect(made.refused).toEqual([]);
    const names = made.files.map(({ path }) => path.split('/').at(-1));
    const manifest = {
      fly: 'fly.toml',
      railway: 'railway.json',
      vercel: 'vercel.json',
      cloudrun: 'service.yaml',
      local: 'convoy.local.json',
    }[platform];
    expect(names).toContain(manifest);
    expect(names).toContain('convoy-api.yml');
    expect(names.includes('Dockerfile')).toBe(platform !== 'vercel');
    for (const { path, content } of made.files) expect(lintFile(path, content)).toEqual([]);
  });
});

test('the same lane always gives the same bytes', () => {
  const lanes = LANES.map((lane, at) =>
    nodeLane({ ...lane, name: `lane-${at}`, path: `p${at}`, installPath: `p${at}` }),
  );
  expect(plan(lanes)).toEqual(plan(structuredClone(lanes)));
});

test('an exact install is used where the lockfile is, and only there', () => {
  const lane = nodeLane({ path: 'apps/api', installPath: '.' });
  expect(contentOf(plan([lane], [file('package-lock.json')]), 'apps/api/Dockerfile')).toContain(
    'npm ci',
  );
  // The lockfile of another directory says nothing about this install.
  expect(
    contentOf(plan([lane], [file('apps/api/package-lock.json')]), 'apps/api/Dockerfile'),
  ).toContain('npm install');
});

test.each([
  ['pnpm', ['pnpm-lock.yaml'], 'pnpm install --frozen-lockfile'],
  ['yarn', ['yarn.lock'], 'yarn install --frozen-lockfile'],
  ['yarn', ['yarn.lock', '.yarnrc.yml'], 'yarn install --immutable'],
  ['bun', ['bun.lock'], 'bun install --frozen-lockfile'],
])('%s with %j installs by %s', (packageManager, locks, install) => {
  expect(contentOf(plan([nodeLane({ packageManager })], locks.map(file)), 'Dockerfile')).toContain(
    install,
  );
});

test('the image starts the exact command, on the port, without root', () => {
  const lines = contentOf(
    plan([nodeLane({ start: 'node app.js', port: 3100 })]),
    'Dockerfile',
  ).split('\n');
  expect(lines).toContain('CMD ["node","app.js"]');
  expect(lines).toContain('EXPOSE 3100');
  expect(lines).toContain('ENV PORT="3100"');
  expect(lines).toContain('USER 10001:10001');
  expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
});

test('a command with shell syntax is given to a shell, whole', () => {
  const start = 'prisma migrate deploy && node dist/server.js';
  expect(contentOf(plan([nodeLane({ start })]), 'Dockerfile')).toContain(
    `CMD ["sh","-c","${start}"]`,
  );
});

test('a server that takes its address from flags is told to listen on every interface', () => {
  const lane = nodeLane({
    ecosystem: 'python',
    packageManager: 'pip',
    install: 'pip install -r requirements.txt',
    start: 'uvicorn main:app',
    port: 8085,
    portBinding: { by: 'flag', flag: '--port', host: '--host' },
  });
  expect(contentOf(plan([lane]), 'Dockerfile')).toContain(
    'CMD ["uvicorn","main:app","--port","8085","--host","0.0.0.0"]',
  );
});

test.each([
  [
    'python',
    'uvicorn main:app',
    { by: 'env', name: 'PORT' },
    ['--port', '8085', '--host', '0.0.0.0'],
  ],
  [
    'python',
    'uvicorn main:app --port 8085',
    { by: 'flag', flag: '--port' },
    ['--port', '8085', '--host', '0.0.0.0'],
  ],
  [
    'swift',
    '.build/release/App serve',
    { by: 'fixed' },
    ['--port', '8085', '--hostname', '0.0.0.0'],
  ],
  ['python', 'hypercorn a:b', { by: 'flag', flag: '--bind' }, ['--bind', '0.0.0.0:8085']],
] as const)(
  '%s: %s is reachable from outside its container',
  (ecosystem, start, portBinding, ending) => {
    const lane = nodeLane({ ecosystem, packageManager: 'pip', start, portBinding, port: 8085 });
    const line = contentOf(plan([lane]), 'Dockerfile')
      .split('\n')
      .find((one) => one.startsWith('CMD '));
    expect((JSON.parse(line?.slice(4) ?? '[]') as string[]).slice(-ending.length)).toEqual(ending);
  },
);

test('a worker has no port anywhere', () => {
  const made = plan([
    nodeLane({ kind: 'worker', port: null, healthPath: null, start: 'node jobs.js' }),
  ]);
  expect(contentOf(made, 'Dockerfile')).not.toContain('EXPOSE');
  expect(parseToml(contentOf(made, 'fly.toml'))).toMatchObject({
    processes: { app: 'node jobs.js' },
  });
  expect(parseToml(contentOf(made, 'fly.toml'))).not.toHaveProperty('http_service');
});

test('a build command cannot reach into the next line', () => {
  const build = 'make \\';
  const text = contentOf(plan([nodeLane({ build })]), 'Dockerfile');
  expect(text).toContain(
    String.raw`RUN --mount=type=cache,target=/root/.npm ["sh","-c","make \\"]`,
  );
});

test.each([
  ['a line break', { start: 'node a.js\nRUN curl evil' }],
  ['an expression of the CI service', { build: 'echo ${{ secrets.TOKEN }}' }],
  ['an impossible port', { port: 70_000 }],
])('a lane with %s gets no files at all', (_, more) => {
  const made = plan([nodeLane(more)]);
  expect(made.refused).toMatchObject([{ reason: 'odd-lane' }]);
  expect(made.files).toEqual([]);
});

test('a lane that reaches up is built from the directory it reaches', () => {
  const made = plan([
    nodeLane({
      path: 'apps/gateway',
      build: 'cd ../.. && nest build gateway',
      start: 'node ../../dist/apps/gateway/main',
    }),
  ]);
  const text = contentOf(made, 'apps/gateway/Dockerfile');
  expect(text).toContain('WORKDIR /app/apps/gateway');
  expect(parseYaml(contentOf(made, '.github/workflows/convoy-api.yml'))).toMatchObject({
    permissions: { contents: 'read' },
    jobs: {
      build: { steps: [{}, { env: { DOCKERFILE: 'apps/gateway/Dockerfile', CONTEXT: '.' } }] },
    },
  });
  expect(made.files.map(({ path }) => path)).toContain('apps/gateway/Dockerfile.dockerignore');
});

test('a member of a uv workspace is built with the packages of all members', () => {
  const lane = nodeLane({
    ecosystem: 'python',
    packageManager: 'uv',
    path: 'services/web',
    installPath: '.',
    install: 'uv sync',
    start: 'uv run web',
  });
  expect(contentOf(plan([lane], [file('uv.lock')]), 'services/web/Dockerfile')).toContain(
    'uv sync --frozen --all-packages',
  );
});

test('a Go module is built from the top, where its workspace file is', () => {
  const lane = nodeLane({
    ecosystem: 'go',
    packageManager: 'go',
    path: 'ledger',
    install: 'go mod download',
    build: 'go build -o app .',
    start: './app',
  });
  const made = plan([lane]);
  expect(contentOf(made, 'ledger/Dockerfile')).toContain('WORKDIR /app/ledger\n');
  expect(contentOf(made, 'ledger/Dockerfile')).toContain(
    'docker build --file "ledger/Dockerfile" "."',
  );
});

test('DC-7 lane files go under the lane path and application names are unique', () => {
  const made = plan([
    nodeLane({ name: 'api', path: 'apps/api' }),
    nodeLane({ name: 'api', path: 'legacy/api' }),
    nodeLane({ name: 'jobs', path: 'apps/api', kind: 'worker', port: null }),
  ]);
  const paths = made.files.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const outside = paths.filter((path) => !/^(apps|legacy)\/api\//.test(path));
  expect(outside.toSorted()).toEqual([
    '.convoy-provenance.json',
    '.github/workflows/convoy-api-2.yml',
    '.github/workflows/convoy-api.yml',
    '.github/workflows/convoy-jobs.yml',
  ]);
  expect(paths).toEqual(
    expect.arrayContaining([
      'apps/api/Dockerfile',
      'apps/api/Dockerfile.jobs',
      'apps/api/fly.jobs.toml',
      'legacy/api/Dockerfile',
    ]),
  );
  const apps = paths
    .filter((path) => path.endsWith('.toml'))
    .map((path) => parseToml(contentOf(made, path))['app'] as string);
  expect(apps).toEqual(['shop-api', 'shop-api-2', 'shop-jobs']);
});

test('secrets appear by name only', () => {
  const made = plan([
    nodeLane({
      secrets: ['API_KEY', 'not a name', 'DATABASE_URL', 'API_KEY'],
      platform: 'cloudrun',
    }),
  ]);
  const names = contentOf(made, '.env.schema')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(names).toEqual(['API_KEY=', 'DATABASE_URL=']);
  expect(parseYaml(contentOf(made, 'service.yaml'))).toMatchObject({
    metadata: { name: 'shop-api' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              ports: [{ containerPort: 3000 }],
              env: [
                {
                  name: 'API_KEY',
                  valueFrom: { secretKeyRef: { name: 'API_KEY', key: 'latest' } },
                },
                { name: 'DATABASE_URL' },
              ],
            },
          ],
        },
      },
    },
  });
});

test('a repository with a Dockerfile of its own keeps it, and the manifest names it', () => {
  const made = plan([
    nodeLane({
      ecosystem: 'docker',
      packageManager: null,
      install: null,
      start: 'registry --serve',
      dockerfile: 'docker/Dockerfile',
    }),
  ]);
  expect(made.files.map(({ path }) => path)).not.toContain('Dockerfile');
  expect(parseToml(contentOf(made, 'fly.toml'))).toMatchObject({
    build: { dockerfile: './docker/Dockerfile' },
  });
});

test('a lane nobody has a template for gets no files that could not work', () => {
  const made = plan([
    nodeLane({
      ecosystem: 'jvm',
      packageManager: 'sbt',
      install: null,
      build: 'sbt stage',
      start: 'target/x',
    }),
  ]);
  expect(made.refused).toMatchObject([{ path: 'Dockerfile', reason: 'no-template' }]);
  expect(made.files.map(({ path }) => path)).toEqual(['.env.schema', '.convoy-provenance.json']);
});
