import { createRehearsal } from '../../src/adapters/rehearsal/rehearse.ts';
import { requestFor } from './request.ts';

// A program that rehearses, for tests that end it in the middle. Arguments: base, service, JSON.
const [, , base = '', service = '', overrides = '{}'] = process.argv;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const { isolation, ...request } = JSON.parse(overrides);
const options = isolation === undefined ? {} : { isolation };
const report = await createRehearsal({ scratchBase: base, ...options }).run(
  requestFor(service, request),
  (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  stop.signal,
);
process.stdout.write(`${JSON.stringify({ kind: 'report', verdict: report.verdict })}\n`);
