import { err, ok, type Result } from '../lib/result.ts';
import { executionId } from '../ports/executor.ts';
import { commandEnvironment } from './command-environment.ts';
import type { World } from './world.ts';

const TAIL = 4000;

/** Runs a repo's own command and waits for it; what it printed last explains a failure. */
export async function runToEnd(
  world: World,
  name: string,
  command: readonly string[],
  directory: string,
  allow: readonly string[],
): Promise<Result<void, { detail: string }>> {
  const [program, ...args] = command;
  if (program === undefined) return ok(undefined);
  const id = executionId(name);
  await world.executor.start({
    id,
    argv: [program, ...args],
    cwd: directory,
    env: commandEnvironment(world, allow),
  });
  const end = await world.executor.exit(id);
  if (end.status === 'exited' && end.how.kind === 'code' && end.how.code === 0)
    return ok(undefined);
  return err({ detail: await lastWords(world, name) });
}

/** The end of what an execution printed. */
export async function lastWords(world: World, name: string, most: number = TAIL): Promise<string> {
  const id = executionId(name);
  const state = await world.executor.find(id);
  const size = state.status === 'exited' ? state.output.bytes : 0;
  const chunk = await world.executor.tail(id, Math.max(0, size - most), most);
  return new TextDecoder().decode(chunk.bytes).trim();
}
