import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { convoyId, taskId } from '../work/ids.ts';
import { CONVOY_STATUSES, hasEnded, isStaged, type Convoy, type ConvoyStatus } from './convoy.ts';
import { decideConvoy } from './decide.ts';
import type { ConvoyCommand, ConvoyEvent } from './events.ts';
import { evolveConvoy } from './evolve.ts';
import { newConvoy } from './new-convoy.ts';

const tasks = [taskId('a')];
const restage = {
  type: 'restage',
  verdict: 'staged_ready',
  title: 'T',
  tasks,
  members: [],
  waveCount: 1,
  options: {},
} as const;

const commands: ConvoyCommand[] = [
  restage,
  { type: 'launch', force: false },
  { type: 'feed' },
  { type: 'pause', reason: 'r' },
  { type: 'resume' },
  { type: 'stall', reason: 'r' },
  { type: 'name-branches', slug: 'health' },
  { type: 'await-branches', reason: 'r', held: false },
  { type: 'settle-branches' },
  { type: 'start-landing' },
  { type: 'stop-landing', reason: 'r' },
  { type: 'land' },
  { type: 'close', reason: 'r' },
  { type: 'cancel', reason: 'r' },
  { type: 'reopen' },
  { type: 'track', tasks },
  { type: 'untrack', tasks },
  { type: 'edit', title: 'T', options: {} },
  { type: 'watch', name: 'ann' },
];

const aConvoy = (status: ConvoyStatus): Convoy => ({
  ...newConvoy(convoyId('cv-1'), {
    title: 'Health',
    status: 'open',
    epic: null,
    options: {},
    by: 'ann',
    at: 0,
    waveCount: null,
  }),
  status,
});

test('GT-66 what each state does with each command', () => {
  const rows = commands.map((command) => [
    command.type,
    ...CONVOY_STATUSES.map((status) => cell(aConvoy(status), command)),
  ]);
  const table = [['', ...CONVOY_STATUSES], ...rows];
  expect(`\n${table.map(aligned).join('\n')}\n`).toMatchInlineSnapshot(`
    "
                    staged_ready    staged_warnings open            paused          stalled         landing         landed          closed          cancelled
    restage         staged_ready    staged_ready    ·               ·               ·               ·               ·               ·               ·
    launch          open            needs force     open            ·               ·               ·               ·               ·               ·
    feed            ·               ·               open            ·               ·               ·               ·               ·               ·
    pause           ·               ·               paused          paused          paused          paused          ·               ·               ·
    resume          ·               ·               open            open            open            ·               ·               ·               ·
    stall           ·               ·               stalled         ·               stalled         stalled         ·               ·               ·
    name-branches   ·               ·               open            ·               stalled         landing         ·               ·               ·
    await-branches  ·               ·               open            ·               stalled         landing         ·               ·               ·
    settle-branches ·               ·               open            paused          stalled         landing         ·               ·               ·
    start-landing   ·               ·               landing         ·               ·               landing         ·               ·               ·
    stop-landing    ·               ·               ·               ·               ·               open            ·               ·               ·
    land            ·               ·               landed          ·               ·               landed          ·               ·               ·
    close           closed          closed          closed          closed          closed          closed          ·               closed          ·
    cancel          cancelled       cancelled       cancelled       cancelled       cancelled       cancelled       ·               ·               cancelled
    reopen          ·               ·               ·               ·               ·               ·               open            open            ·
    track           staged_ready    staged_warnings open            paused          stalled         open            open            open            ·
    untrack         staged_ready    staged_warnings open            paused          stalled         landing         ·               ·               ·
    edit            staged_ready    staged_warnings open            paused          stalled         landing         ·               ·               ·
    watch           staged_ready    staged_warnings open            paused          stalled         landing         landed          closed          cancelled
    "
  `);
});

function cell(convoy: Convoy, command: ConvoyCommand): string {
  const decision = decideConvoy(convoy, command);
  if (!decision.ok) return decision.error.kind === 'wrong-state' ? '·' : 'needs force';
  return decision.value.reduce((now, event) => evolveConvoy(now, event, 7), convoy).status;
}

const aligned = (row: readonly string[]): string =>
  row
    .map((text) => text.padEnd(16))
    .join('')
    .trimEnd();

test('GT-55 warnings need a word from a person', () => {
  const staged = aConvoy('staged_warnings');
  expect(decideConvoy(staged, { type: 'launch', force: false })).toMatchObject({
    ok: false,
    error: { kind: 'warnings-need-force' },
  });
  expect(cell(staged, { type: 'launch', force: true })).toBe('open');
});

test('GT-56 a launched convoy is not launched again; one that only tracks is', () => {
  const tracking = aConvoy('open');
  const launched = after(tracking, { type: 'launch', force: false });
  expect(launched).toMatchObject({ status: 'open', feeding: true, launchedAt: 7 });
  expect(decideConvoy(launched, { type: 'launch', force: true })).toMatchObject({
    ok: false,
    error: { kind: 'already-launched', since: 7 },
  });
});

test('GT-73 adding to a convoy that ended opens it again as a new epoch', () => {
  const landed = { ...aConvoy('landed'), endedAt: 5, launchedAt: 3 };
  expect(after(landed, { type: 'track', tasks })).toMatchObject({
    status: 'open',
    feeding: true,
    epoch: 1,
    endedAt: null,
    taskCount: 1,
  });
  const tracked = { ...aConvoy('closed'), endedAt: 5 };
  expect(after(tracked, { type: 'track', tasks })).toMatchObject({
    status: 'open',
    feeding: false,
  });
});

function after(convoy: Convoy, command: ConvoyCommand): Convoy {
  const decision = decideConvoy(convoy, command);
  if (!decision.ok) throw new Error(decision.error.kind);
  return decision.value.reduce((now, event) => evolveConvoy(now, event, 7), convoy);
}

const text = fc.string({ maxLength: 4 });
const anyTasks = fc.uniqueArray(fc.constantFrom('a', 'b', 'c').map(taskId), { maxLength: 3 });
const anyCommand: fc.Arbitrary<ConvoyCommand> = fc.oneof(
  fc.constantFrom<ConvoyCommand>(...commands.filter(({ type }) => type !== 'restage')),
  fc.record({
    type: fc.constant('restage' as const),
    verdict: fc.constantFrom('staged_ready', 'staged_warnings'),
    title: text,
    tasks: anyTasks,
    members: anyTasks,
    waveCount: fc.nat(),
    options: fc.record({ owner: text }, { requiredKeys: [] }),
  }),
  fc.record({ type: fc.constant('launch' as const), force: fc.boolean() }),
  fc.record({ type: fc.constantFrom('watch', 'unwatch'), name: fc.constantFrom('ann', 'bob') }),
);
const anyStart = fc.constantFrom<'staged_ready' | 'staged_warnings' | 'open'>(
  'staged_ready',
  'staged_warnings',
  'open',
);

test('whatever is asked: never back to staged, ended only reopens for more work, replay gives the same', () => {
  fc.assert(
    fc.property(anyStart, fc.array(anyCommand, { maxLength: 30 }), (status, life) => {
      const first = aConvoy(status);
      const events: [ConvoyEvent, number][] = [[{ type: 'convoy-created', convoy: first }, 0]];
      let now = first;
      for (const [at, command] of life.entries()) {
        const decision = decideConvoy(now, command);
        if (!decision.ok) continue;
        const next = decision.value.reduce((convoy, event) => evolveConvoy(convoy, event, at), now);
        const changed = next.status !== now.status;
        expect(isStaged(next.status) && !isStaged(now.status)).toBe(false);
        const isMoreWork = command.type === 'track' || command.type === 'reopen';
        expect(hasEnded(now.status) && changed && !isMoreWork).toBe(false);
        expect(hasEnded(next.status) && next.feeding).toBe(false);
        expect(next.endedAt !== null).toBe(hasEnded(next.status));
        expect(new Set(next.watchers).size).toBe(next.watchers.length);
        events.push(...decision.value.map((event): [ConvoyEvent, number] => [event, at]));
        now = next;
      }
      const replayed = events.reduce<Convoy | null>(
        (convoy, [event, at]) => evolveConvoy(convoy, JSON.parse(JSON.stringify(event)), at),
        null,
      );
      expect(replayed).toEqual(now);
    }),
  );
});

test('saying a thing twice changes nothing the second time', () => {
  const twice: ConvoyCommand[] = [
    { type: 'pause', reason: 'r' },
    { type: 'stall', reason: 'r' },
    { type: 'name-branches', slug: 'health' },
    { type: 'await-branches', reason: 'r', held: false },
    { type: 'start-landing' },
    { type: 'feed' },
    { type: 'close', reason: 'r' },
    { type: 'cancel', reason: 'r' },
    { type: 'watch', name: 'ann' },
    { type: 'unwatch', name: 'ann' },
  ];
  for (const command of twice)
    expect(decideConvoy(after(aConvoy('open'), command), command)).toEqual({ ok: true, value: [] });
});

test('a name is settled once; while its branch is pending another may take its place', () => {
  const named = after(aConvoy('open'), { type: 'name-branches', slug: 'shop' });
  expect(decideConvoy(named, { type: 'name-branches', slug: 'other' })).toEqual({
    ok: true,
    value: [],
  });
  const pending = after(named, { type: 'await-branches', reason: 'no answer', held: false });
  expect(pending.branchPending).toEqual({ reason: 'no answer', held: false });
  const again = after(pending, { type: 'name-branches', slug: 'shop-2' });
  expect(again.branchSlug).toBe('shop-2');
  const settled = after(again, { type: 'settle-branches' });
  expect(settled).toMatchObject({ branchSlug: 'shop-2', branchPending: null });
  expect(after(settled, { type: 'name-branches', slug: 'shop-3' }).branchSlug).toBe('shop-2');
});
