import { shape } from '../command.ts';

export const review = shape({
  path: ['review'],
  group: 'Land',
  summary: 'Show what reviewers said, or ask one again that said nothing',
  description:
    'Without a name it lists the reviews that have no verdict yet. A verdict is bound to the tree it is ' +
    'about: when the work changes it is reviewed anew. People answer with approve and reject.',
  args: [{ name: 'subject', summary: 'a convoy, a task, a change or a review', optional: true }],
  options: [
    { kind: 'flag', name: 'again', summary: 'ask reviewers that gave no verdict once more' },
    { kind: 'flag', name: 'all', short: 'a', summary: 'with those that have their verdict' },
  ],
  examples: [
    { run: 'convoy review', says: 'see which reviews are under way' },
    { run: 'convoy review cv-7k2', says: 'read the findings about a convoy' },
    { run: 'convoy review cv-7k2 --again', says: 'after a reviewer crashed' },
  ],
});
