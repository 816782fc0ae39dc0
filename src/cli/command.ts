import type { Problem } from '../contract/problem.ts';
import type { CommandContext } from './context.ts';

/** The order in which the short help shows them. */
export const GROUPS = ['Work', 'Convoys', 'Land', 'Crew', 'Ship', 'System'] as const;
export type Group = (typeof GROUPS)[number];

/** What may stand at a place of the command line. */
export type Arg = {
  readonly name: string;
  readonly summary: string;
  /** Required unless said otherwise. */
  readonly optional?: true;
  /** Takes all the words that are left; only the last argument may. */
  readonly variadic?: true;
  readonly choices?: readonly string[];
};

type OptionCore = {
  /** Long name in kebab-case, without dashes. */
  readonly name: string;
  /** One letter, without the dash. */
  readonly short?: string;
  readonly summary: string;
  /** Accepted, and shown nowhere. */
  readonly hidden?: true;
};

export type FlagOption = OptionCore & {
  readonly kind: 'flag';
  /** `--no-<name>` exists too; then absent, on and off are three different things. */
  readonly negatable?: true;
};

export type TextOption = OptionCore & {
  readonly kind: 'text';
  /** How help names the value, for example `DIR`. */
  readonly value: string;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
  readonly default?: string;
};

export type NumberOption = OptionCore & {
  readonly kind: 'number';
  readonly value: string;
  /** Whole numbers only, unless said otherwise. */
  readonly fractional?: true;
  readonly least?: number;
  readonly most?: number;
  readonly default?: number;
};

export type Option = FlagOption | TextOption | NumberOption;

/** A command line and what it does, in one sentence without the full stop. */
export type Example = { readonly run: string; readonly says: string };

/** Everything about a command but its behaviour. Parser, help, completion and reference read it. */
export type Shape = {
  readonly path: readonly [string, ...string[]];
  readonly group: Group;
  readonly summary: string;
  readonly description?: string;
  readonly args: readonly Arg[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** Tidies up by itself after Ctrl-C; a second Ctrl-C ends it at once. */
  readonly lingers?: true;
};

export type Command = Shape & {
  readonly load: () => Promise<{ readonly run: Run<Shape> }>;
};

export type Run<S extends Shape> = (context: CommandContext<S>) => Promise<Outcome>;

/** What a command has to say at its end. */
export type Outcome = Shown | Streamed | Refused;

export type Shown = {
  readonly json: object;
  /** Called only when text is wanted, so that rendering is loaded and paid only then. */
  readonly text: () => string | readonly string[] | Promise<string | readonly string[]>;
  readonly exit?: number;
};

/** The command wrote its lines itself, through `context.out`. */
export type Streamed = { readonly streamed: true; readonly exit?: number };

export type Refused = { readonly problem: Problem };

/** Keeps the literal types of a declaration, so that its behaviour knows its own options. */
export const shape = <const S extends Shape>(declared: S): S => declared;

/** Ties a declaration to the module that does it. */
export const command = <S extends Shape>(
  declared: S,
  load: () => Promise<{ readonly run: Run<S> }>,
): Command => ({
  ...declared,
  load,
});

export const refused = (problem: Problem): Refused => ({ problem });

/** The values behind a declaration's options, by their camelCase names. */
export type OptionsOf<S extends Shape> = {
  readonly [O in S['options'][number] as Camel<O['name']>]: OptionValue<O>;
};

/** The words behind a declaration's arguments, by their camelCase names. */
export type ArgsOf<S extends Shape> = {
  readonly [A in S['args'][number] as Camel<A['name']>]: ArgValue<A>;
};

type OptionValue<O extends Option> = O extends FlagOption
  ? O extends { negatable: true }
    ? boolean | undefined
    : boolean
  : O extends NumberOption
    ? O extends { default: number }
      ? number
      : number | undefined
    : O extends { repeatable: true }
      ? readonly Word<O>[]
      : O extends { default: string }
        ? Word<O>
        : Word<O> | undefined;

type ArgValue<A extends Arg> = A extends { variadic: true }
  ? readonly Word<A>[]
  : A extends { optional: true }
    ? Word<A> | undefined
    : Word<A>;

type Word<T> = T extends { choices: readonly (infer C extends string)[] } ? C : string;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
