import type { Source } from './evidence.ts';
import { at, isObject, type Json, keysOf, listOf, stringOf, stringsOf, wordOf } from './json.ts';
import { pathOfUrl } from './dockerfile.ts';
import { baseOf, directoryOf, join, normalise, type Snapshot } from './snapshot.ts';

/** One service of a compose file. */
export interface ComposeService {
  readonly name: string;
  readonly file: string;
  readonly source: Source;
  readonly image: string | null;
  /** The build context as a path inside the repository. */
  readonly context: string | null;
  readonly dockerfile: string | null;
  readonly command: string | null;
  readonly port: number | null;
  readonly dependsOn: readonly string[];
  readonly env: readonly string[];
  readonly health: string | null;
}

const MOST_SERVICES = 60;
const COMPOSE = /^(docker-)?compose(\.(prod|production))?\.ya?ml$/;

export function composeServices(snapshot: Snapshot): readonly ComposeService[] {
  return snapshot.files
    .filter((file) => COMPOSE.test(baseOf(file)) && file.split('/').length <= 4)
    .flatMap((file) => {
      const services = at(snapshot.data(file), 'services');
      return keysOf(services)
        .slice(0, MOST_SERVICES)
        .map((name) => serviceOf(snapshot, file, name, at(services, name)));
    });
}

function serviceOf(
  snapshot: Snapshot,
  file: string,
  name: string,
  data: Json | undefined,
): ComposeService {
  const build = at(data, 'build');
  const context = stringOf(build) ?? stringOf(at(build, 'context'));
  return {
    name,
    file,
    source: { file, text: snapshot.text(file) ?? '' },
    image: stringOf(at(data, 'image')) ?? null,
    context: build === undefined ? null : normalise(join(directoryOf(file), context ?? '.')),
    dockerfile: stringOf(at(build, 'dockerfile')) ?? null,
    command: commandOf(at(data, 'command')),
    port: portOf(data),
    dependsOn: namesOf(at(data, 'depends_on')),
    env: envNames(at(data, 'environment')),
    health: healthOf(at(data, 'healthcheck', 'test')),
  };
}

function commandOf(value: Json | undefined): string | null {
  const words = stringsOf(value);
  if (words.length === 0) return null;
  if (/(^|\/)(ba|da)?sh$/.test(words[0] ?? '') && (words[1] ?? '').includes('c'))
    return words.slice(2).join(' ');
  return words
    .join(' ')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

function portOf(data: Json | undefined): number | null {
  for (const entry of [...listOf(at(data, 'ports')), ...listOf(at(data, 'expose'))]) {
    const text = isObject(entry) ? wordOf(at(entry, 'target')) : wordOf(entry);
    const last = (text ?? '')
      .split('/')[0]
      ?.replaceAll(/\$\{\w+:?-(\d+)\}/g, '$1')
      .split(':')
      .at(-1);
    const port = Number(last);
    if (Number.isInteger(port) && port > 0) return port;
  }
  return null;
}

function namesOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? keysOf(value) : stringsOf(value);
}

function envNames(value: Json | undefined): readonly string[] {
  if (isObject(value)) return keysOf(value);
  return stringsOf(value).map((line) => line.split('=')[0] ?? '');
}

function healthOf(value: Json | undefined): string | null {
  const text = stringsOf(value).join(' ');
  return text === '' ? null : (pathOfUrl(text) ?? null);
}
