import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, KEY } from '../model/rig.ts';
import { makeCli } from './rig.ts';

const PLAN = {
  title: 'Shop',
  description: 'Sells things.',
  items: [
    { id: 'store', title: 'Keep the orders', type: 'feature', priority: 1, line: 3 },
    { id: 'show', title: 'Show the orders', after: ['store'], line: 4 },
  ],
};
const CIRCLE = {
  title: 'Shop',
  items: [
    { id: 'a', title: 'A', after: ['b'], line: 1 },
    { id: 'b', title: 'B', after: ['a'], line: 2 },
  ],
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    plans: inTurn(call({ name: 'write_plan', input: PLAN })),
    circle: inTurn(call({ name: 'write_plan', input: CIRCLE })),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const asked = (scenario: string): NodeJS.ProcessEnv => ({
  ANTHROPIC_API_KEY: KEY,
  ANTHROPIC_BASE_URL: `${server.url}/s/${scenario}`,
});

test.each(['tiny', 'service', 'monorepo'])(
  'draft of the example %s.md writes the graph that stands beside it',
  async (name) => {
    const cli = await makeCli();
    const graph = JSON.parse(readFileSync(`examples/prds/${name}.graph.json`, 'utf8')) as Graph;
    const more = reposIn(graph).map(
      (repo) => `\n[repos.${repo}]\npath = "."\nprefix = "x${repo}"\n`,
    );
    cli.write('.convoy/config.toml', cli.config() + more.join(''));
    const file = new URL(`../../examples/prds/${name}.md`, import.meta.url).pathname;
    const answer = await cli.ok(['draft', file, '--repo', 'main']);
    const wanted = nodesIn(graph);
    expect(answer.tasks.map(({ key, title }: Node) => `${key} ${title}`).toSorted()).toEqual(
      wanted.map(({ key, title }) => `${key} ${title}`).toSorted(),
    );
    const edges = answer.tasks.reduce(
      (sum: number, task: { depends_on: string[] }) => sum + task.depends_on.length,
      0,
    );
    expect(edges).toBe(edgesIn(graph));
  },
);

test('draft --ai writes the plan of a model, checked like any other', async () => {
  const cli = await makeCli();
  cli.write('prd.md', '# Shop\n\nOrders are kept.\nOrders are shown.\n');
  const env = { ...cli.env, ...asked('plans') };
  const answer = JSON.parse(
    (await cli.convoy(['draft', 'prd.md', '--ai', '--json'], { env })).stdout,
  );
  expect(answer.tasks.map(({ title }: Node) => title)).toEqual([
    'Shop',
    'Keep the orders',
    'Show the orders',
  ]);
  expect(answer.tasks[2].depends_on).toEqual([answer.tasks[1].id]);
});

test('a model that plans a circle writes nothing', async () => {
  const cli = await makeCli();
  cli.write('prd.md', '# Shop\n');
  const before = await cli.events();
  const ran = await cli.convoy(['draft', 'prd.md', '--ai', '--json'], {
    env: { ...cli.env, ...asked('circle') },
  });
  expect(ran.code).not.toBe(0);
  expect(await cli.events()).toBe(before);
});

test('without a key --ai says what is missing', async () => {
  const cli = await makeCli();
  cli.write('prd.md', '# Shop\n');
  const ran = await cli.convoy(['draft', 'prd.md', '--ai', '--json']);
  expect(ran).toMatchObject({ code: 1, json: { error: { code: 'no_model' } } });
});

type Node = { readonly key: string; readonly title: string; readonly repo?: string | null };

type Graph = { readonly nodes: readonly Node[]; readonly edges: readonly unknown[] };

const nodesIn = ({ nodes }: Graph): readonly Node[] => nodes;
const edgesIn = ({ edges }: Graph): number => edges.length;
const reposIn = ({ nodes }: Graph): string[] => [
  ...new Set(nodes.flatMap(({ repo }) => repo ?? [])),
];
