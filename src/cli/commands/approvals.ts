import { shape } from '../command.ts';
import { TOKEN_ROLES } from './words.ts';

const APPROVAL = { name: 'approval', summary: 'its id, or the beginning of it' } as const;
const REASON = { kind: 'text', name: 'reason', value: 'TEXT', summary: 'why' } as const;
const HASH = {
  kind: 'text',
  name: 'hash',
  value: 'HASH',
  summary: 'what you have seen; refused when it has changed',
} as const;

export const approvals = shape({
  path: ['approvals'],
  group: 'Ship',
  summary: 'List what waits for a yes or an answer',
  args: [],
  options: [
    { kind: 'flag', name: 'all', short: 'a', summary: 'decided ones, too' },
    { kind: 'text', name: 'subject', value: 'ID', summary: 'only about this run or convoy' },
  ],
  examples: [
    { run: 'convoy approvals', says: 'see what waits for you' },
    { run: 'convoy approvals --all --json', says: 'every decision, with who and when' },
  ],
});

export const approve = shape({
  path: ['approve'],
  group: 'Ship',
  summary: 'Say yes to what an approval shows',
  args: [APPROVAL],
  options: [REASON, HASH],
  examples: [
    { run: 'convoy approve ap-7k2p9', says: 'let it go on' },
    { run: 'convoy approve ap-7k --reason "read the diff"', says: 'say why' },
  ],
});

export const reject = shape({
  path: ['reject'],
  group: 'Ship',
  summary: 'Say no to what an approval shows',
  args: [APPROVAL],
  options: [REASON, HASH],
  examples: [
    { run: 'convoy reject ap-7k2p9 --reason "wrong region"', says: 'stop it there' },
    { run: 'convoy reject ap-7k', says: 'the beginning of the id is enough' },
  ],
});

export const answer = shape({
  path: ['answer'],
  group: 'Work',
  summary: 'Answer the question of an agent',
  description: 'The agent gets these words. convoy reject leaves the decision to it.',
  args: [APPROVAL, { name: 'text', summary: 'what you say to it' }],
  options: [HASH],
  examples: [
    { run: 'convoy answer ap-7k2p9 "eu-central, for the law"', says: 'let it go on with that' },
    { run: 'convoy answer ap-7k eu --json', says: 'the beginning of the id is enough' },
  ],
});

export const tokenCreate = shape({
  path: ['token', 'create'],
  group: 'System',
  summary: 'Make a token for a person or a machine; it is shown once',
  args: [],
  options: [
    {
      kind: 'text',
      name: 'role',
      value: 'ROLE',
      summary: 'what it may do',
      choices: TOKEN_ROLES,
      default: 'viewer',
    },
    { kind: 'text', name: 'name', value: 'NAME', summary: 'who holds it' },
    { kind: 'text', name: 'for', value: 'SUBJECT', summary: 'attempt:ID, crew:ID or host:NAME' },
    { kind: 'text', name: 'task', value: 'ID', summary: 'the one task of a worker' },
    { kind: 'text', name: 'expires', value: 'SPAN', summary: 'for example 7d or 12h' },
  ],
  examples: [
    { run: 'convoy token create --role viewer --name wall --expires 30d', says: 'for a screen' },
    { run: 'convoy token create --role worker --for task:web-a3f', says: 'for one task only' },
  ],
});

export const tokenList = shape({
  path: ['token', 'list'],
  group: 'System',
  summary: 'List tokens and sessions, without their secrets',
  args: [],
  options: [{ kind: 'flag', name: 'all', short: 'a', summary: 'ended ones, too' }],
  examples: [
    { run: 'convoy token list', says: 'see who may get in' },
    { run: 'convoy token list --all --json', says: 'with everyone who once could' },
  ],
});

export const tokenRevoke = shape({
  path: ['token', 'revoke'],
  group: 'System',
  summary: 'End a token or session and what came from it',
  args: [{ name: 'token', summary: 'its id or name' }],
  options: [],
  examples: [
    { run: 'convoy token revoke wall', says: 'by name' },
    { run: 'convoy token revoke tok-4h8s2k', says: 'by id' },
  ],
});

export const open = shape({
  path: ['open'],
  group: 'System',
  summary: 'Open the dashboard, logged in',
  description: 'The address works once and for a minute.',
  args: [{ name: 'id', summary: 'go straight to this convoy or task', optional: true }],
  options: [{ kind: 'flag', name: 'print', summary: 'only print the address' }],
  examples: [
    { run: 'convoy open', says: 'open it in the browser' },
    { run: 'convoy open cv-8k2p --print', says: 'for a browser elsewhere' },
  ],
});
