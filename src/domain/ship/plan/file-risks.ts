import type { AuthorPlan } from '../author/author-plan.ts';
import type { Risk } from '../scan/lane.ts';
import type { RepositoryMark } from './plan.ts';

/** What a person should know about the files before saying yes. */
export function fileRisks(
  { files, refused }: Pick<AuthorPlan, 'files' | 'refused'>,
  mark: RepositoryMark,
): readonly Risk[] {
  return [
    ...refused.map(({ path, reason, detail }) =>
      risk('warn', 'file-refused', `${path} will not be written (${reason}): ${detail}`, path),
    ),
    ...files
      .filter(({ action }) => action === 'skip')
      .map(({ path }) => risk('note', 'file-yours', `${path} is yours and stays as it is.`, path)),
    ...(mark.sha === null
      ? [
          risk(
            'warn',
            'no-commit',
            mark.git
              ? 'There is no commit yet, so no branch can be made; commit once and plan again.'
              : 'This is no git repository, so no branch can be made; git init, commit and plan again.',
          ),
        ]
      : []),
  ];
}

const risk = (level: Risk['level'], code: string, message: string, path?: string): Risk => ({
  level,
  code,
  message,
  lane: null,
  files: path === undefined ? [] : [path],
});
