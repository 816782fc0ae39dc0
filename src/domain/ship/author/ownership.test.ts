import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directoryRefusal, foldName, pathRefusal } from './ownership.ts';

const LANES = new Set(['.', 'apps/api', 'src/web']);

describe('DC-30 what Convoy may write', () => {
  test.each([
    'Dockerfile',
    'apps/api/Dockerfile',
    'src/web/Dockerfile.jobs',
    '.dockerignore',
    'apps/api/Dockerfile.dockerignore',
    'fly.toml',
    'railway.json',
    'vercel.json',
    'service.yaml',
    'convoy.local.json',
    '.env.schema',
    '.convoy-provenance.json',
    '.github/workflows/convoy-api.yml',
  ])('%s', (path) => expect(pathRefusal(path, LANES)).toBeNull());
});

describe('DC-30 what it refuses', () => {
  test.each([
    ['src/index.ts', 'not-owned'],
    ['package.json', 'not-owned'],
    ['apps/api/package.json', 'not-owned'],
    ['.env', 'not-owned'],
    ['.github/workflows/ci.yml', 'not-owned'],
    ['.github/workflows/convoy-a/../ci.yml', 'climbs-out'],
    ['apps/api/.github/workflows/convoy-api.yml', 'not-owned'],
    ['apps/api/.convoy-provenance.json', 'not-owned'],
    ['apps/other/Dockerfile', 'not-owned'],
    ['.git/config', 'inside-git'],
    ['.git/hooks/Dockerfile', 'inside-git'],
    ['.GIT/Dockerfile', 'inside-git'],
    ['.git./Dockerfile', 'inside-git'],
    ['GIT~1/Dockerfile', 'inside-git'],
    ['．git/Dockerfile', 'inside-git'],
    ['.gıt/Dockerfile', 'not-owned'],
    ['.g\u200bit/Dockerfile', 'odd-characters'],
    ['.gitattributes', 'inside-git'],
    ['DOCKERFILE', 'not-owned'],
    ['Ｄockerfile', 'not-owned'],
    ['Dockerfile\u200d', 'odd-characters'],
    ['Dockerfile ', 'reserved-name'],
    ['.GitHub/workflows/convoy-api.yml', 'odd-characters'],
    ['/etc/Dockerfile', 'not-relative'],
    ['C:/Dockerfile', 'not-relative'],
    ['apps//Dockerfile', 'not-relative'],
    ['', 'not-relative'],
    ['../Dockerfile', 'climbs-out'],
    ['apps/../../Dockerfile', 'climbs-out'],
    ['./Dockerfile', 'climbs-out'],
    ['apps\\api\\Dockerfile', 'odd-characters'],
    ['Dockerfile::$DATA', 'odd-characters'],
    ['Dockerfile\0', 'odd-characters'],
    ['Dockerfile\n', 'odd-characters'],
    ['con/Dockerfile', 'reserved-name'],
    ['apps/NUL.txt/Dockerfile', 'reserved-name'],
    ['․․/Dockerfile', 'climbs-out'],
  ])('%j as %s', (path, reason) => expect(pathRefusal(path, LANES)).toBe(reason));
});

/** Strings made of the pieces that have fooled path checks before. */
const PIECES =
  String.raw`. / \ : ~ .. .git .GIT git~1 ． ／ CON é ſ Dockerfile dockerfile fly.toml apps/ api/
  src/ web/ .env .schema .github/ workflows/ convoy-api.yml`
    .split(/\s+/)
    .concat(' ', '\0', '\n', '\u200b', '\u202e', 'e\u0301');
const pieces = fc.constantFrom(...PIECES);
const paths = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));

test('property: an accepted path stays inside, names one of ours and cannot be read otherwise', () => {
  fc.assert(
    fc.property(paths, (path) => {
      if (pathRefusal(path, LANES) !== null) return;
      const parts = path.split('/');
      expect(parts).not.toContain('..');
      expect(parts).not.toContain('');
      expect(path).toMatch(/^[\x20-\x7e]+$/);
      expect(path).not.toContain('\\');
      const directory = parts.slice(0, -1).join('/') || '.';
      expect([...LANES, '.github/workflows']).toContain(directory);
      expect(parts.map(foldName)).not.toContain('.git');
    }),
    { numRuns: 3_000 },
  );
});

test('property: another spelling of an owned name that some disk takes for it is refused', () => {
  const owned = fc.constantFrom('Dockerfile', '.dockerignore', 'fly.toml', '.env.schema');
  const spelled = owned.chain((name) =>
    fc
      .array(fc.constantFrom('same', 'upper', 'wide', 'hidden'), {
        minLength: name.length,
        maxLength: name.length,
      })
      .map((ways) => ({
        name,
        other: ways.map((way, at) => respell(name[at] ?? '', way)).join(''),
      })),
  );
  fc.assert(
    fc.property(spelled, ({ name, other }) => {
      fc.pre(other !== name);
      expect(foldName(other)).toBe(foldName(name));
      expect(pathRefusal(other, LANES)).not.toBeNull();
    }),
  );
});

function respell(letter: string, way: string): string {
  if (way === 'upper')
    return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
  if (way === 'wide') return String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0);
  return way === 'hidden' ? `${letter}\u200d` : letter;
}

test('a directory with blanks and letters of any script may hold a lane', () => {
  expect(directoryRefusal('apps/my service/größe')).toBeNull();
  expect(directoryRefusal('.')).toBeNull();
  expect(directoryRefusal('../other')).toBe('climbs-out');
});
