import { expect, test } from 'vitest';
import { runPullBody, type RunPull } from './pull-body.ts';

const pull: RunPull = {
  plan: 'plan-1',
  run: 'run-1',
  written: ['Dockerfile'],
  carried: [],
  fixCommit: null,
  withheld: [],
  base: 'main',
  unpushed: 0,
  rehearsals: [],
};

test('DC-34 what is carried, left out and not pushed is said; what was not rehearsed too', () => {
  const bare = runPullBody(pull);
  expect(bare).toContain('no uncommitted file was carried');
  expect(bare).toContain('**The service was not rehearsed.**');
  expect(bare).not.toContain('secret');
  const full = runPullBody({
    ...pull,
    carried: ['app.js', 'lib/`x`.js'],
    fixCommit: 'f1',
    withheld: ['.env'],
    unpushed: 3,
    rehearsals: [
      {
        lane: 'api',
        status: 'healthy',
        why: 'it answered @mona',
        healthPath: '/health',
        isolation: null,
        figures: ['p99: 12'],
      },
    ],
  });
  expect(full).toMatchInlineSnapshot(`
    "Deployment files for \`plan-1\`, made by Convoy in \`run-1\`.

    ### Files that Convoy wrote

    - \`Dockerfile\`

    ### What else is in this branch

    - 2 uncommitted files of the developer, in commit \`f1\`:
      - \`app.js\`
      - \`lib/ x .js\`
    - 3 commits that \`main\` does not have yet.
    - Left out, because it looks like a secret:
      - \`.env\`

    ### Rehearsal

    - \`api\`: **healthy**, it answered @​mona
      - answered at \`/health\`
      - p99: 12"
  `);
});
