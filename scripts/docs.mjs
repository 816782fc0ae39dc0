// npm run docs:reference: writes every generated page; with --check it only says which are stale.
const GENERATORS = ['notices', 'reference', 'reference-config', 'reference-events'];

for (const name of GENERATORS) await import(`./${name}.mjs`);
