// Checks every recorded landing of a workspace with plain git, without any code of the product.
//   node scripts/check-landings.mjs <workspace> [--json]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'smol-toml';

const [workspace = '.', ...flags] = process.argv.slice(2);
const dir = join(resolve(workspace), '.convoy');
const config = parse(readFileSync(join(dir, 'config.toml'), 'utf8'));
const MERGED = "select state from change where status = 'merged' order by enqueued_at, id";
const changes = (await rowsIn(process.env['CONVOY_LEDGER'] ?? join(dir, 'ledger.db'))).map(
  ({ state }) => JSON.parse(state),
);

const landings = changes.map(checked);
const bad = landings.filter(({ problems }) => problems.length > 0);
if (flags.includes('--json')) console.log(JSON.stringify({ landings, ok: bad.length === 0 }));
else {
  for (const { id, problems } of bad) console.log(`${id}: ${problems.join('; ')}`);
  console.log(`${landings.length} landings, ${bad.length} without proof`);
}
process.exitCode = bad.length === 0 ? 0 : 1;

/** From a file or from a server, as the ledger itself would be opened. */
async function rowsIn(ledger) {
  if (!/^postgres(ql)?:\/\//.test(ledger)) {
    const db = new DatabaseSync(ledger, { readOnly: true });
    const rows = db.prepare(MERGED).all();
    db.close();
    return rows;
  }
  const { Client } = await import('pg');
  const client = new Client({ connectionString: ledger });
  await client.connect();
  const { rows } = await client.query(MERGED);
  await client.end();
  return rows;
}

/** The three things a landing must show, asked from git itself. */
function checked({ id, repo, target, head, merged }) {
  const path = resolve(workspace, config.repos?.[repo]?.path ?? '.');
  const git = (...args) => {
    try {
      const text = execFileSync('git', args, { cwd: path, encoding: 'utf8', stdio: 'pipe' });
      return { code: 0, text: text.trim() };
    } catch (error) {
      return { code: error.status ?? 1, text: String(error.stdout ?? '').trim() };
    }
  };
  const problems = [];
  if (git('merge-base', '--is-ancestor', merged.commit, `refs/heads/${target}`).code !== 0)
    problems.push(`${merged.commit} is not in ${target}`);
  if (git('rev-parse', `${merged.commit}^{tree}`).text !== merged.tree)
    problems.push(`the tree of ${merged.commit} is not ${merged.tree}`);
  if (git('merge-tree', '--write-tree', merged.commit, head).text !== merged.tree)
    problems.push(`merging ${head} into ${merged.commit} again would change it`);
  return { id, repo, target, commit: merged.commit, problems };
}
