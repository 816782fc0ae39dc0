import { shape } from '../command.ts';

export const notifications = shape({
  path: ['notifications'],
  group: 'System',
  summary: 'Show what people were told, and whether it reached them',
  description:
    'Newest first, the last 20 unless --all. "unconfirmed" may have arrived and is not sent again; ' +
    '"dead" was given up.',
  args: [],
  options: [
    { kind: 'flag', name: 'all', short: 'a', summary: 'not only the last 20' },
    { kind: 'text', name: 'target', value: 'NAME', summary: 'only for this reader' },
    {
      kind: 'text',
      name: 'status',
      value: 'STATUS',
      summary: 'only with such a delivery',
      choices: ['pending', 'sending', 'delivered', 'unconfirmed', 'dead'],
      repeatable: true,
    },
  ],
  examples: [
    { run: 'convoy notifications', says: 'see the latest' },
    { run: 'convoy notifications --all --status dead', says: 'see what reached nobody' },
  ],
});
