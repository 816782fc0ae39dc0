import { expect, test } from 'vitest';
import { checkDockerfile } from './check-dockerfile.ts';

const GOOD =
  'FROM node AS build\nRUN a \\\n  && b\nFROM node\nCOPY --from=build /a /a\nUSER 10\nEXPOSE 80\nCMD ["a"]\n';

test('a good file has no faults', () => expect(checkDockerfile(GOOD)).toEqual([]));

test.each([
  ['does not begin with FROM', 'RUN a\nFROM b\nUSER 1\nCMD ["a"]\n'],
  ['is no instruction', GOOD.replace('RUN', 'RUNN')],
  ['has no arguments', GOOD.replace('USER 10', 'USER 10\nWORKDIR')],
  ['the last stage has no CMD', GOOD.replace('CMD ["a"]\n', '')],
  ['more than one CMD', `${GOOD}CMD ["b"]\n`],
  ['runs as root', GOOD.replace('USER 10', 'USER root')],
  ['runs as root', GOOD.replace('USER 10', 'USER 0:0')],
  ['runs as root', GOOD.replace('USER 10\n', '')],
  ['is no list of words', GOOD.replace('["a"]', '["a"')],
  ['EXPOSE names no port', GOOD.replace('EXPOSE 80', 'EXPOSE http')],
  ['ENV is not name=value', GOOD.replace('USER', 'ENV A\nUSER')],
  ['no stage is called', GOOD.replace('--from=build', '--from=other')],
  ['here-document', GOOD.replace('RUN a', 'RUN <<EOF a')],
  ['is no instruction', `${GOOD}RUN a \\`],
])('%s', (fault, text) => {
  expect(checkDockerfile(text).some((found) => found.includes(fault))).toBe(true);
});
