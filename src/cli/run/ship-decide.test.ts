import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { AnyRoute, OutputOf } from '../../contract/route.ts';
import { decideHere } from './ship-decide.ts';

const ASKED = { waiting: { approval: 'ap-1', kind: 'open_pr', lane: null } };

async function decide(typed: string, status = 'pending', interactive = true): Promise<string[]> {
  const called: string[] = [];
  const call = async <R extends AnyRoute>(route: R, input: object): Promise<OutputOf<R>> => {
    const said = JSON.stringify('body' in input ? input.body : null);
    called.push(`${route.id} ${said}`);
    const approval = {
      id: 'ap-1',
      kind: 'open_pr',
      subject: 'run-1',
      lane: null,
      status,
      subject_hash: 'h',
      summary: 'Put 1 file on a branch.',
      details: { branch: 'convoy/plan-1' },
      decision: null,
    };
    return { approval } as unknown as OutputOf<R>;
  };
  const stdin = Readable.from([typed]);
  const { signal } = new AbortController();
  await decideHere(
    { call, interactive, stdin, out: () => {}, signal, color: false, columns: 80 },
    ASKED,
  );
  return called;
}

const APPROVED = 'approval.approve {"channel":"cli","subject_hash":"h"}';
const REJECTED = 'approval.reject {"channel":"cli","subject_hash":"h"}';

test('a yes at the terminal is bound to what was shown', async () => {
  expect(await decide('y\n')).toEqual(['approval.show null', APPROVED]);
});

test('anything but yes or no is not an answer', async () => {
  expect(await decide('perhaps\n\nNO\n')).toEqual(['approval.show null', REJECTED]);
  expect(await decide('perhaps\n')).toEqual(['approval.show null']);
});

test('nobody is asked without a terminal, or after the decision', async () => {
  expect(await decide('y\n', 'pending', false)).toEqual([]);
  expect(await decide('y\n', 'approved')).toEqual(['approval.show null']);
});
