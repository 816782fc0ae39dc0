/** What a pull request of a run says. */
export type RunPull = {
  readonly plan: string;
  readonly run: string;
  readonly written: readonly string[];
  /** Files of the developer's that go along, and the commit they are in. */
  readonly carried: readonly string[];
  readonly fixCommit: string | null;
  /** What looked like a secret and stays behind. */
  readonly withheld: readonly string[];
  readonly base: string;
  /** Commits of the developer's that the base on the remote lacks. */
  readonly unpushed: number;
  readonly rehearsals: readonly Rehearsed[];
};

export type Rehearsed = {
  readonly lane: string;
  readonly status: string;
  readonly why: string | null;
  readonly healthPath: string | null;
  readonly isolation: string | null;
  readonly figures: readonly string[];
};

const MOST_LISTED = 100;

/** Says truthfully what is in the branch and what was seen to work. */
export function runPullBody(pull: RunPull): string {
  return [
    `Deployment files for \`${pull.plan}\`, made by Convoy in \`${pull.run}\`.`,
    '',
    '### Files that Convoy wrote',
    '',
    ...listed(pull.written),
    '',
    '### What else is in this branch',
    '',
    ...carriedLines(pull),
    ...(pull.unpushed === 0
      ? []
      : [`- ${counted(pull.unpushed, 'commit')} that ${code(pull.base)} does not have yet.`]),
    ...(pull.withheld.length === 0
      ? []
      : [
          '- Left out, because it looks like a secret:',
          ...listed(pull.withheld).map((line) => `  ${line}`),
        ]),
    '',
    '### Rehearsal',
    '',
    ...(pull.rehearsals.length === 0
      ? ['**The service was not rehearsed.**']
      : pull.rehearsals.flatMap(rehearsalLines)),
  ].join('\n');
}

function carriedLines({ carried, fixCommit }: RunPull): string[] {
  if (carried.length === 0)
    return ['- Nothing of the working tree: no uncommitted file was carried.'];
  const where = fixCommit === null ? '' : `, in commit \`${fixCommit}\``;
  return [
    `- ${counted(carried.length, 'uncommitted file')} of the developer${where}:`,
    ...listed(carried).map((line) => `  ${line}`),
  ];
}

function rehearsalLines({
  lane,
  status,
  why,
  healthPath,
  isolation,
  figures,
}: Rehearsed): string[] {
  return [
    `- ${code(lane)}: **${status}**${why === null ? '' : `, ${safe(why)}`}`,
    ...(healthPath === null ? [] : [`  - answered at ${code(healthPath)}`]),
    ...figures.map((figure) => `  - ${figure}`),
    ...(isolation === null ? [] : [`  - isolation: ${safe(isolation)}`]),
  ];
}

function listed(paths: readonly string[]): string[] {
  const shown = paths.slice(0, MOST_LISTED).map((path) => `- ${code(path)}`);
  const more = paths.length - shown.length;
  return more > 0 ? [...shown, `- and ${more} more`] : shown;
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

const code = (text: string): string => `\`${text.replace(/[`\r\n]/g, ' ')}\``;

const safe = (text: string): string =>
  text
    .replaceAll('<', '&lt;')
    .replace(/@(?=\w)/g, '@\u200B')
    .replace(/\s+/g, ' ');
