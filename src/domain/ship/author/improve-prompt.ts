import type { Diagnosis } from '../medic/diagnosis.ts';
import { fence, fenceRule } from '../medic/prompt-fence.ts';

export function improveInstructions(mark: string): string {
  return [
    'You mend one deployment file that Convoy itself has written and that made a service fail.',
    fenceRule(mark),
    [
      'Call write_file once with the whole new content of the file.',
      '- Change only what the diagnosis calls for; keep everything else, comments too, as it is.',
      '- The file must stay of the same kind and parse. It holds no secret and no value of a variable.',
      '- If the file is not at fault, hand it in unchanged.',
    ].join('\n'),
  ].join('\n\n');
}

export function improveQuestion(
  file: { readonly path: string; readonly content: string },
  { rootCause, fix, evidence }: Diagnosis,
  mark: string,
): string {
  const seen = evidence.map(({ file: at, line, text }) => `${at ?? 'log'}:${line ?? ''} ${text}`);
  return [
    `Mend ${file.path}.`,
    fence('diagnosis', [rootCause, fix, ...seen].join('\n'), mark),
    fence('file', file.content, mark),
  ].join('\n\n');
}
