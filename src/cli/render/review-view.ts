import type { ReviewJson } from '../../contract/routes/reviews.ts';
import { facts } from './facts.ts';
import { heading } from './heading.ts';
import { paletteFor } from './paint.ts';
import { status } from './status.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';

const SHORT = 12;

/** One review: what it is about, what it came to, and every finding with its place. */
export function reviewPage(review: ReviewJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const paints = { error: palette.red, warning: palette.amber, info: palette.grey };
  const what = review.change === null ? 'all the work' : review.change;
  const of = `${what} of ${review.convoy}${review.repo === null ? '' : ` in ${review.repo}`}`;
  const at = review.answered_at ?? review.opened_at;
  const waits = review.by === 'person' && review.status === 'waiting';
  return [
    ...heading(review.id, of, view),
    ...facts(
      [
        ['verdict', status('review', review.status, palette)],
        ['by', review.by === 'person' ? 'a person' : `an agent, ${tries(review.tries)}`],
        ['when', relative(Date.parse(at), view.now())],
        ['tree', review.tree.slice(0, SHORT)],
        ['because', review.reason],
        ['answer', waits ? `convoy approve ${review.id}  or  convoy reject ${review.id}` : null],
        ['again', review.status === 'failed' ? `convoy review ${review.id} --again` : null],
      ],
      view.columns,
      palette.grey,
    ),
    ...facts(
      review.findings.map(({ file, line, severity, text }) => [
        `  ${severity}`,
        {
          text: file === null ? text : `${file}${line === null ? '' : `:${line}`}  ${text}`,
          paint: paints[severity],
        },
      ]),
      view.columns,
    ),
  ];
}

const tries = (count: number): string => (count === 1 ? '1 try' : `${count} tries`);
