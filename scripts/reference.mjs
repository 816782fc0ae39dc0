// Writes docs/reference/cli.md from the command table.
import { cliReference } from '../src/cli/reference.ts';
import { COMMANDS } from '../src/cli/table.ts';
import { writePages } from './lib/pages.mjs';

writePages({ 'docs/reference/cli.md': cliReference(COMMANDS) });
