import { shape } from '../command.ts';

export const prime = shape({
  path: ['prime'],
  group: 'Work',
  summary: 'For agents: my task and where to work',
  description: 'Works inside an attempt only, with the CONVOY_URL and CONVOY_TOKEN it was given.',
  args: [],
  options: [],
  examples: [
    { run: 'convoy prime', says: 'read my task' },
    { run: 'convoy prime --json', says: 'read it as JSON' },
  ],
});

export const done = shape({
  path: ['done'],
  group: 'Work',
  summary: 'For agents: I am through',
  description:
    'Commits on the branch are submitted. Without any change the attempt fails, unless --no-code ' +
    'says that there is nothing to merge.',
  args: [],
  options: [
    { kind: 'flag', name: 'code', negatable: true, summary: 'whether there is a change to merge' },
    { kind: 'text', name: 'reason', value: 'TEXT', summary: 'what was done instead' },
  ],
  examples: [
    { run: 'convoy done', says: 'hand the work in' },
    { run: 'convoy done --no-code --reason "Asked the vendor"', says: 'close it without code' },
  ],
});

export const checkpoint = shape({
  path: ['checkpoint'],
  group: 'Work',
  summary: 'For agents: note how far I am',
  args: [{ name: 'note', summary: 'one sentence' }],
  options: [],
  examples: [
    { run: 'convoy checkpoint "Schema is done"', says: 'leave a note' },
    { run: 'convoy checkpoint "Tests red, looking" --json', says: 'in a script' },
  ],
});

export const escalate = shape({
  path: ['escalate'],
  group: 'Work',
  summary: 'For agents: a person must look at this',
  args: [{ name: 'text', summary: 'what is the matter' }],
  options: [
    {
      kind: 'text',
      name: 'severity',
      value: 'LEVEL',
      summary: 'how bad it is',
      choices: ['low', 'medium', 'high'],
      default: 'medium',
    },
  ],
  examples: [
    { run: 'convoy escalate "The API key is missing"', says: 'ask for help' },
    { run: 'convoy escalate "Data loss" --severity high', says: 'say that it is urgent' },
  ],
});

export const ask = shape({
  path: ['ask'],
  group: 'Work',
  summary: 'For agents: ask a person and wait for the answer',
  description:
    'Prints the answer. While nobody has answered it exits 5: ask the very same again to go on ' +
    'waiting. A person who leaves it to the agent makes it exit 1. The question is gone when the ' +
    'attempt is over.',
  args: [{ name: 'question', summary: 'what must be decided' }],
  options: [
    {
      kind: 'text',
      name: 'choice',
      value: 'TEXT',
      summary: 'an answer that would do',
      repeatable: true,
    },
    {
      kind: 'text',
      name: 'wait',
      value: 'SPAN',
      summary: 'how long to wait for it',
      default: '50s',
    },
  ],
  examples: [
    { run: 'convoy ask "Which region?" --choice eu --choice us', says: 'wait for a decision' },
    { run: 'convoy ask "May it break old clients?" --wait 0s --json', says: 'ask and go on' },
  ],
});

export const mcp = shape({
  path: ['mcp'],
  group: 'Work',
  summary: 'For agents: the same as tools, over the Model Context Protocol',
  description:
    'Speaks MCP on standard input and output until the input ends. It acts as CONVOY_TOKEN against ' +
    'CONVOY_URL, and shows the tools of that token only: prime, done, checkpoint, status, escalate ' +
    'and request_input to a worker, review_verdict to a reviewer. Agents with a preset are offered it.',
  args: [],
  options: [],
  examples: [
    { run: 'convoy mcp', says: 'the command of an MCP server named convoy' },
    { run: 'convoy mcp --dir ~/shop', says: 'the same for another workspace' },
  ],
});
