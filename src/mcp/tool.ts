import type * as z from 'zod';
import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute, CallOf, OutputOf, Role } from '../contract/route.ts';
import type { Result } from '../lib/result.ts';

/** Who calls, as the API knows it by the token. */
export type Caller = { readonly role: string; readonly task: string | null };

/** One thing a session can do through MCP, as data: who may, what it takes, which route it is. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  /** Roles whose token shows it; nobody else learns that it exists. */
  readonly roles: readonly Role[];
  readonly input: z.ZodObject;
  call(client: Client, args: unknown, caller: Caller): Promise<Result<object, Problem>>;
};

/** A tool that is a route: its arguments are parsed with `input` before `ask` sees them. */
export const tool = <Input extends z.ZodObject, R extends AnyRoute>(spec: {
  readonly name: string;
  readonly description: string;
  readonly roles: readonly Role[];
  readonly input: Input;
  readonly route: R;
  readonly ask: (args: z.output<Input>, caller: Caller) => CallOf<R>;
}): Tool => ({
  name: spec.name,
  description: spec.description,
  roles: spec.roles,
  input: spec.input,
  call: (client, args, caller): Promise<Result<OutputOf<R> & object, Problem>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server parsed them with `input`
    client.call(spec.route, spec.ask(args as z.output<Input>, caller)) as Promise<
      Result<OutputOf<R> & object, Problem>
    >,
});
