import type { PlanBody, PlanLane } from './plan.ts';
import { changed } from './steps.ts';

type Told = Pick<PlanBody, 'repo' | 'deployable' | 'reason' | 'lanes' | 'files' | 'risks'>;

/** The plan in a line. */
export function summaryOf(plan: Told): string {
  if (!plan.deployable) return `${plan.repo.name} is not deployed: ${plan.reason}`;
  const lanes = plan.lanes.map(({ name, platform }) => `${name} on ${platform.chosen}`);
  const files = changed(plan.files).length;
  return [
    `${plan.repo.name}: ${listed(lanes)}`,
    files === 0 ? 'no files to write' : `${files} ${files === 1 ? 'file' : 'files'} to write`,
    ...blocked(plan),
  ].join('; ');
}

/** The plan as the one who will carry it out tells it. */
export function narrativeOf(plan: Told): string {
  if (!plan.deployable)
    return `I looked at ${plan.repo.name} and would deploy nothing. ${sentence(plan.reason)}`;
  const files = changed(plan.files);
  return [
    `I found ${plan.lanes.length === 1 ? 'one service' : `${plan.lanes.length} services`} in ${plan.repo.name}.`,
    ...plan.lanes.map(laneWords),
    `Before I change anything, I start ${plan.lanes.length === 1 ? 'it' : 'each of them'} in a throw-away copy and see that it answers.`,
    files.length === 0
      ? 'I need to write no files.'
      : `Then I ask for your yes and put ${listed(files.map(({ path }) => path))} on a branch of its own.`,
    ...plan.risks
      .filter(({ level }) => level !== 'note')
      .map(({ message }) => `I want you to know: ${sentence(message)}`),
  ].join(' ');
}

function laneWords(lane: PlanLane): string {
  const made = lane.framework ?? lane.ecosystem;
  const start =
    lane.start === null ? 'I serve its built files' : `I start it with \`${lane.start}\``;
  const needs = lane.datastores.length === 0 ? '' : ` It needs ${listed(lane.datastores)}.`;
  const secrets = lane.secrets.length === 0 ? '' : ` It reads ${listed(lane.secrets)}.`;
  return `${lane.name} is a ${made} ${lane.kind}; ${start} and would run it on ${lane.platform.chosen}.${needs}${secrets}`;
}

const blocked = ({ risks }: Told): string[] =>
  risks.some(({ level }) => level === 'block') ? ['blocked by a risk'] : [];

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function listed(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
