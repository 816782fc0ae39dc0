import type { ChangedPath, Diff, SubmitLimits, SubmitObjection } from '../../ports/repository.ts';
import { scanForSecrets } from './secret-scan.ts';

export const DEFAULT_LIMITS: SubmitLimits = {
  files: 2_000,
  lines: 100_000,
  diffBytes: 8 * 1024 * 1024,
  allowedPaths: [],
};

/** Everything that speaks against submitting a change, not only the first thing. */
export function objectionsTo(
  paths: readonly ChangedPath[],
  diff: Diff,
  limits: SubmitLimits = DEFAULT_LIMITS,
): SubmitObjection[] {
  const lines = paths.reduce((sum, { added, removed }) => sum + (added ?? 0) + (removed ?? 0), 0);
  const outside = paths.map(({ path }) => path).filter((path) => !isAllowed(path, limits));
  const findings = scanForSecrets(diff.text);
  const objections: (SubmitObjection | false)[] = [
    paths.length > limits.files && {
      kind: 'too_many_files',
      files: paths.length,
      most: limits.files,
    },
    lines > limits.lines && { kind: 'too_many_lines', lines, most: limits.lines },
    // What was cut off was not searched either.
    diff.truncated && { kind: 'diff_too_large', most: limits.diffBytes },
    outside.length > 0 && { kind: 'outside_allowed_paths', paths: outside },
    findings.length > 0 && { kind: 'secrets', findings },
  ];
  return objections.filter((objection) => objection !== false);
}

function isAllowed(path: string, { allowedPaths }: SubmitLimits): boolean {
  if (allowedPaths.length === 0) return true;
  return allowedPaths.some((allowed) => {
    const folder = allowed.replace(/\/+$/, '');
    return path === folder || path.startsWith(`${folder}/`);
  });
}
