import type { ModelLimits, Usage } from '../../ports/model.ts';
import type { Price } from './prices.ts';

/** Counts what a conversation uses and says what it may still use. */
export type Meter = {
  readonly used: () => Usage;
  /** The limit that the next turn could pass, judged by the size of what would be sent. */
  readonly inTheWay: (characters: number) => 'tokens' | 'usd' | null;
  /** How many tokens the next turn may answer with. */
  readonly room: (characters: number) => number;
  readonly add: (spent: Spent) => void;
};

export type Spent = {
  readonly turns: 0 | 1;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

const LONGEST_ANSWER = 16_000;
const SHORTEST_ANSWER = 256;
const CHARACTERS_PER_TOKEN = 3;
const MILLION = 1_000_000;

export function openMeter(limits: ModelLimits, price: Price): Meter {
  let used: Usage = { turns: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

  const tokensLeft = (characters: number): number =>
    limits.tokens - used.inputTokens - used.outputTokens - tokensIn(characters);
  const paidFor = (characters: number): number =>
    ((limits.usd - used.usd) * MILLION - tokensIn(characters) * price.input) / price.output;

  return {
    used: () => used,
    inTheWay(characters) {
      if (tokensLeft(characters) < SHORTEST_ANSWER) return 'tokens';
      return paidFor(characters) < SHORTEST_ANSWER ? 'usd' : null;
    },
    room: (characters) =>
      Math.floor(Math.min(LONGEST_ANSWER, tokensLeft(characters), paidFor(characters))),
    add({ turns, inputTokens, outputTokens }) {
      const usd = (inputTokens * price.input + outputTokens * price.output) / MILLION;
      used = {
        turns: used.turns + turns,
        inputTokens: used.inputTokens + inputTokens,
        outputTokens: used.outputTokens + outputTokens,
        usd: used.usd + usd,
      };
    },
  };
}

/** A guess on the high side, for what is not sent yet and for providers that do not count. */
export const tokensIn = (characters: number): number =>
  Math.ceil(characters / CHARACTERS_PER_TOKEN);
