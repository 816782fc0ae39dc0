import { expect, test } from 'vitest';
import { readDockerfile } from './dockerfile.ts';

const read = (text: string) => readDockerfile({ file: 'Dockerfile', text });

test('only the last stage counts', () => {
  const docker = read(
    'FROM a AS build\nEXPOSE 1\nCMD ["make"]\nFROM b\nEXPOSE 8080/tcp\nCMD ["run"]',
  );
  expect(docker.base).toBe('b');
  expect(docker.ports.map(({ value }) => value)).toEqual([8080]);
  expect(docker.start?.value).toBe('run');
});

test.each([
  ['CMD ["node", "a b.js"]', 'node "a b.js"'],
  ['CMD node server.js', 'node server.js'],
  ['CMD ["sh", "-c", "migrate && serve"]', 'migrate && serve'],
  ['ENTRYPOINT ["java"]\nCMD ["-jar", "app.jar"]', 'java -jar app.jar'],
  ['ENTRYPOINT ["./docker-entrypoint.sh"]\nCMD ["puma"]', 'puma'],
  ['CMD gunicorn \\\n  --workers 2 \\\n  app:app', 'gunicorn    --workers 2    app:app'],
])('%j starts %s', (text, start) => {
  expect(read(`FROM x\n${text}`).start?.value).toBe(start);
});

test('a port may be named through a variable', () => {
  expect(read('FROM x\nENV PORT=9000\nEXPOSE $PORT').ports.map(({ value }) => value)).toEqual([
    9000,
  ]);
});

test('the health check names its path', () => {
  expect(
    read('FROM x\nHEALTHCHECK CMD curl -f http://localhost:3000/up || exit 1').health?.value,
  ).toBe('/up');
  expect(read('FROM x\nHEALTHCHECK NONE').health).toBeNull();
});
