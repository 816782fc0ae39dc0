import { shape } from '../command.ts';

export const demo = shape({
  path: ['demo'],
  group: 'System',
  summary: 'Play a whole convoy on a small service, from its plan to its landing',
  description:
    'Makes a folder with a fresh repository and a workspace of its own, drafts ten tasks from a plan ' +
    'and lets scripted agents do them: a test that fails, a conflict, a review, the landing. Git, tests ' +
    'and service are real, and nothing outside the folder is touched. It is .convoy-demo beside ' +
    "Convoy's sources, or DIR with --dir DIR; what an earlier demo left there is removed first.",
  args: [],
  options: [
    { kind: 'flag', name: 'exit', summary: 'end afterwards; without it the engine stays up' },
    { kind: 'flag', name: 'keep', summary: 'leave what earlier demos made' },
    {
      kind: 'number',
      name: 'port',
      value: 'PORT',
      summary: 'of the API, instead of 3737',
      least: 0,
      most: 65_535,
    },
  ],
  examples: [
    { run: 'convoy demo', says: 'watch it, then look around until Ctrl-C' },
    { run: 'convoy demo --exit --json', says: 'only the summary; exit 0 when everything worked' },
  ],
  lingers: true,
});
