import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentScript, WORK } from './work.ts';

test('the agent knows every task of the plan by its title', () => {
  const { nodes } = JSON.parse(readFileSync('examples/prds/service.graph.json', 'utf8'));
  const planned: string[] = nodes
    .filter(({ type }: { type: string }) => type !== 'epic')
    .map(({ title }: { title: string }) => title);
  expect(planned).toHaveLength(10);
  const known = new Set(WORK.map(({ title }) => title));
  expect(planned.filter((title) => !known.has(title))).toEqual([]);
});

test('every piece of work writes files and commits them', () => {
  const { scripts } = JSON.parse(agentScript('examples/demo', '/marks'));
  expect(scripts).toHaveLength(WORK.length);
  for (const { steps } of scripts) {
    const acts = steps.map((step: { do: string }) => step.do);
    expect(acts).toContain('write');
    expect(acts.at(-1)).toBe('commit');
  }
});
