import { callDirectly } from '../../src/api/direct.ts';
import type { Services } from '../../src/api/context.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { AnyRoute, CallOf, OutputOf } from '../../src/contract/route.ts';
import { localOperator } from '../../src/daemon/local-operator.ts';
import type { Result } from '../../src/lib/result.ts';
import { simulate, type Simulation } from '../../src/simulator/simulation.ts';
import { WORKSPACE } from '../../src/simulator/simulated-settings.ts';
import type { Settings } from '../../src/ports/settings.ts';

/** A simulation, and a person who gives commands through the API. */
export type SimRig = Simulation & {
  ask<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<Result<OutputOf<R>, Problem>>;
  /** The same, where a refusal would be a mistake of the test. */
  call<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<OutputOf<R>>;
};

const WHO = { identity: localOperator({ USER: 'test' }, 'process'), csrf: null };

export async function simRig(
  seed: number,
  workspace: Partial<Settings['workspace']> = {},
): Promise<SimRig> {
  const sim = await simulate(seed, workspace);
  const services: Services = {
    ledger: sim.ledger,
    settings: sim.settings,
    ids: sim.ids,
    machine: sim.machine,
    executor: async () => sim.executor.port,
    drafter: async () => null,
    repositories: sim.repositories,
    ship: () => Promise.reject(new Error('nothing is shipped in a simulation')),
    workspace: { root: WORKSPACE, dir: WORKSPACE },
    version: 'test',
    instance: 'test',
    engine: true,
    webhooks: null,
    dashboard: null,
    now: () => sim.time.now(),
  };
  const ask: SimRig['ask'] = (route, input) => callDirectly(route, input, WHO, services);
  return Object.assign(sim, {
    ask,
    call: async <R extends AnyRoute>(route: R, input: CallOf<R>): Promise<OutputOf<R>> => {
      const answer = await ask(route, input);
      if (!answer.ok) throw new Error(JSON.stringify(answer.error));
      return answer.value;
    },
  });
}
