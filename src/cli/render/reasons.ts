import { clean } from './clean.ts';
import { wrapWide } from './width.ts';

export type Reason = {
  readonly code: string;
  readonly message: string;
  readonly ids: readonly string[];
};

/** Why something is where it is, a reason to a bullet. */
export const reasonLines = (reasons: readonly Reason[], width: number): string[] =>
  reasons.flatMap(({ message }) =>
    wrapWide(clean(message), width - 4).map((line, at) =>
      at === 0 ? `  - ${line}` : `    ${line}`,
    ),
  );
