import { fence, fenceRule } from '../medic/prompt-fence.ts';
import { withoutPatch } from '../medic/prompt-answer.ts';
import { err, ok, type Result } from '../../../lib/result.ts';
import type { PlanBody } from './plan.ts';

export type Words = { readonly summary: string; readonly narrative: string };

const LONGEST_SUMMARY = 200;
const LONGEST_NARRATIVE = 2_500;

export function wordsInstructions(mark: string): string {
  return [
    'You word the plan of a deployment for the person who will say yes or no to it.',
    fenceRule(mark),
    [
      'Call write_words once. In it:',
      `- summary: one line of at most ${LONGEST_SUMMARY} characters: what is shipped where.`,
      `- narrative: at most ${LONGEST_NARRATIVE} characters, in the first person, as the one who will carry the plan out. Say what you found, what you will do first, what you will ask, and what the person should know.`,
      '- Name every service with its platform, and every risk that blocks or warns.',
      '- Say only what the plan says. Promise nothing, leave nothing out, invent no command, file or figure. What you put between backticks must stand in the plan letter by letter.',
    ].join('\n'),
    'Write plain English without headings, lists or code blocks.',
  ].join('\n\n');
}

export function wordsQuestion(
  plan: PlanBody,
  mark: string,
  clean: (text: string) => string,
): string {
  return `Word this plan.\n\n${fence('plan', clean(factsOf(plan)), mark)}`;
}

/** Everything the words may speak of; names of secrets, never values. */
export function factsOf(plan: PlanBody): string {
  const lanes = plan.lanes.map((lane) => ({
    name: lane.name,
    kind: lane.kind,
    path: lane.path,
    made_with: lane.framework ?? lane.ecosystem,
    install: lane.install,
    build: lane.build,
    start: lane.start,
    needs: lane.datastores,
    reads: lane.secrets,
    after: lane.depends_on,
    platform: lane.platform.chosen,
    because: lane.platform.reason,
  }));
  return JSON.stringify(
    {
      repository: plan.repo.name,
      deployable: plan.deployable,
      reason: plan.reason,
      services: lanes,
      files: plan.files.map(({ path, action }) => `${action} ${path}`),
      steps: plan.steps.map(({ id, does }) => `${id}: ${does}`),
      asks: plan.approvals.map(({ kind, summary }) => `${kind}: ${summary}`),
      risks: plan.risks.map(({ level, message }) => `${level}: ${message}`),
    },
    null,
    1,
  );
}

const CONTROL = /\p{Cc}/u;
const MARKUP = /```|~~~|^#{1,6} |<\/?[a-z][^>]*>|\]\(|https?:\/\//im;

/** Takes a model's words as far as they hold to the plan, or says what is wrong with them. */
export function checkedWords(said: Words, plan: PlanBody): Result<Words, string> {
  const summary = said.summary.trim();
  const narrative = withoutPatch(said.narrative).replaceAll(/\s+/g, ' ').trim();
  const facts = factsOf(plan);
  const wrong = [
    summary === '' || narrative === '' ? 'both must say something' : null,
    summary.length > LONGEST_SUMMARY ? `the summary is longer than ${LONGEST_SUMMARY}` : null,
    narrative.length > LONGEST_NARRATIVE
      ? `the narrative is longer than ${LONGEST_NARRATIVE}`
      : null,
    CONTROL.test(summary) ? 'the summary is not one line of text' : null,
    MARKUP.test(`${summary}\n${said.narrative}`) ? 'no markup and no addresses' : null,
    ...plan.lanes.flatMap(({ name, platform }) =>
      [name, platform.chosen]
        .filter((word) => !narrative.toLowerCase().includes(word.toLowerCase()))
        .map((word) => `the narrative does not name ${word}`),
    ),
    ...quoted(`${summary} ${narrative}`)
      .filter((text) => !facts.includes(JSON.stringify(text).slice(1, -1)))
      .map((text) => `\`${text}\` does not stand in the plan`),
    !plan.deployable && !/\b(not|no|nothing|none|cannot)\b/i.test(narrative)
      ? 'the narrative must say that nothing is deployed'
      : null,
    plan.risks.some(({ level }) => level === 'block') && !/block|cannot/i.test(narrative)
      ? 'the narrative must say that a risk blocks the plan'
      : null,
  ].filter((problem) => problem !== null);
  return wrong.length === 0 ? ok({ summary, narrative }) : err(wrong.slice(0, 5).join('; '));
}

const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].flatMap(([, inner]) => inner ?? []);
