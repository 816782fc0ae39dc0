import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMeter, tokensIn } from './meter.ts';
import { priceOf } from './prices.ts';

const PRICE = { input: 3, output: 15 };

test('what was used is added up and paid for', () => {
  const meter = openMeter({ turns: 9, tokens: 9e6, usd: 99, ms: 1 }, PRICE);
  meter.add({ turns: 1, inputTokens: 1_000_000, outputTokens: 100_000 });
  meter.add({ turns: 0, inputTokens: 0, outputTokens: 100_000 });
  expect(meter.used()).toEqual({
    turns: 1,
    inputTokens: 1_000_000,
    outputTokens: 200_000,
    usd: expect.closeTo(6, 9),
  });
});

test('a turn within its room passes neither the tokens nor the money', () => {
  const sizes = fc.array(fc.nat(60_000), { maxLength: 20 });
  const limits = fc.record({
    tokens: fc.nat(100_000),
    usd: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(sizes, limits, (all, { tokens, usd }) => {
      const meter = openMeter({ turns: 99, tokens, usd, ms: 1 }, PRICE);
      for (const size of all)
        if (meter.inTheWay(size) === null)
          meter.add({ turns: 1, inputTokens: tokensIn(size), outputTokens: meter.room(size) });
      const used = meter.used();
      expect(used.inputTokens + used.outputTokens).toBeLessThanOrEqual(tokens);
      expect(used.usd).toBeLessThanOrEqual(usd + 1e-9);
    }),
  );
});

test('a model nobody knows counts as dear', () => {
  expect(priceOf('who-knows').input).toBeGreaterThan(priceOf('claude-sonnet-5-5').input);
  expect(priceOf('claude-sonnet-5-5').input).toBeGreaterThan(priceOf('claude-haiku-5-5').input);
});
