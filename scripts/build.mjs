// Bundles the CLI and what it loads lazily: one file per door, shared code in chunks. The OpenAPI
// page brings a library that needs all of zod, so it is a bundle of its own and nobody else pays.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const common = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);",
  },
  external: ['pg-native'],
};

const openApiApart = {
  name: 'openapi-apart',
  setup(builder) {
    builder.onResolve({ filter: /\/openapi\.ts$/ }, () => ({
      path: './openapi.js',
      external: true,
    }));
  },
};

rmSync('dist', { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints: { cli: 'src/cli/main.ts', host: 'src/daemon/host.ts' },
    splitting: true,
    // Beside the entry points, so that './openapi.js' means the same everywhere.
    chunkNames: '[name]-[hash]',
    plugins: [openApiApart],
  }),
  build({ ...common, entryPoints: { openapi: 'src/api/openapi.ts' } }),
]);
