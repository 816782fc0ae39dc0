// Bundles the CLI and what it loads lazily: one file per door, shared code in chunks. The OpenAPI
// page and the MCP server bring libraries that need all of zod, so they are bundles of their own and
// nobody else pays.
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

const apart = {
  name: 'apart',
  setup(builder) {
    builder.onResolve({ filter: /\/openapi\.ts$/ }, () => ({
      path: './openapi.js',
      external: true,
    }));
    builder.onResolve({ filter: /\/mcp\/serve\.ts$/ }, () => ({
      path: './mcp.js',
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
    // Beside the entry points, so that './openapi.js' and './mcp.js' mean the same everywhere.
    chunkNames: '[name]-[hash]',
    plugins: [apart],
  }),
  build({ ...common, entryPoints: { openapi: 'src/api/openapi.ts' } }),
  build({ ...common, entryPoints: { mcp: 'src/mcp/serve.ts' } }),
  // Started as a process of its own, beside the other bundles.
  build({ ...common, entryPoints: { 'acp-runner': 'src/adapters/agents/acp/runner.ts' } }),
]);
