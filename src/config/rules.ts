import { RESERVED_PREFIXES } from './defaults.ts';
import { closest } from './closest.ts';
import { isTable, type Table } from './tree.ts';

/** Something wrong between keys that are each right by themselves. */
export type Breach = { readonly path: readonly string[]; readonly message: string };

/**
 * What a schema of single keys cannot say: names, references, keys that need each other.
 * It reads the raw document, so that these are reported together with the schema's own findings.
 */
export function breaches(config: Table): readonly Breach[] {
  return [
    ...['notify', 'agents', 'repos'].flatMap((kind) => badNames(kind, tableAt(config, kind))),
    ...unknownSinks(config),
    ...coordinatorBreaches(config),
    ...entriesOf(config, 'agents').flatMap(([name, agent]) => incompleteAgent(name, agent)),
    ...entriesOf(config, 'repos').flatMap(([name, repo]) => [
      ...unclearSource(name, repo),
      ...unknownAgents(name, repo, tableAt(config, 'agents')),
      ...repeatedGates(name, repo),
    ]),
    ...badPrefixes(config),
  ];
}

function badNames(kind: string, named: Table): Breach[] {
  return Object.keys(named)
    .filter((name) => !/^[a-z0-9][a-z0-9._-]*$/.test(name))
    .map((name) => ({
      path: [kind, name],
      message: `the name "${name}" must be lower-case letters, digits, ".", "_" and "-", a letter or digit first`,
    }));
}

/** A strategy that asks an agent needs one, and the agent must be there. */
function coordinatorBreaches(config: Table): Breach[] {
  const { dispatch, coordinator } = tableAt(config, 'workspace');
  const agents = tableAt(config, 'agents');
  if (typeof coordinator === 'string' && !Object.hasOwn(agents, coordinator))
    return [
      {
        path: ['workspace', 'coordinator'],
        message: `names "${coordinator}", but there is no [agents.${coordinator}]${suggestion(coordinator, agents)}`,
      },
    ];
  return dispatch === 'coordinator' && coordinator === undefined
    ? [{ path: ['workspace', 'dispatch'], message: '"coordinator" needs coordinator = "<agent>"' }]
    : [];
}

function unknownSinks(config: Table): Breach[] {
  const sinks = tableAt(config, 'notify');
  return texts(tableAt(config, 'workspace')['notify'])
    .filter((name) => !Object.hasOwn(sinks, name))
    .map((name) => ({
      path: ['workspace', 'notify'],
      message: `names "${name}", but there is no [notify.${name}]${suggestion(name, sinks)}`,
    }));
}

function incompleteAgent(name: string, agent: Table): Breach[] {
  const path = ['agents', name];
  const adapter = agent['adapter'] ?? 'command';
  if (adapter === 'scripted' && agent['script'] === undefined) {
    return [{ path, message: 'adapter "scripted" needs `script`, the path of its steps' }];
  }
  const runsProgram = adapter === 'command' || adapter === 'acp';
  if (runsProgram && agent['command'] === undefined && agent['preset'] === undefined) {
    return [{ path, message: `adapter "${adapter}" needs \`command\` or \`preset\`` }];
  }
  return [];
}

function unclearSource(name: string, repo: Table): Breach[] {
  const path = ['repos', name];
  const hasPath = repo['path'] !== undefined;
  const hasUrl = repo['url'] !== undefined;
  if (hasPath && hasUrl) return [{ path, message: 'has both `path` and `url`; keep one' }];
  return hasPath || hasUrl ? [] : [{ path, message: 'needs `path` or `url`' }];
}

function unknownAgents(name: string, repo: Table, agents: Table): Breach[] {
  return ['agent', 'reviewer'].flatMap((key) => {
    const wanted = repo[key];
    if (typeof wanted !== 'string' || wanted === '' || Object.hasOwn(agents, wanted)) return [];
    const message = `names "${wanted}", but there is no [agents.${wanted}]${suggestion(wanted, agents)}`;
    return [{ path: ['repos', name, key], message }];
  });
}

function repeatedGates(name: string, repo: Table): Breach[] {
  const gates = Array.isArray(repo['gates']) ? repo['gates'] : [];
  const seen = new Set<unknown>();
  return gates.flatMap((gate, index) => {
    const gateName = isTable(gate) ? gate['name'] : undefined;
    const path = ['repos', name, 'gates', String(index), 'name'];
    if (seen.has(gateName) && typeof gateName === 'string') {
      return [{ path, message: `"${gateName}" is already the name of an earlier gate` }];
    }
    seen.add(gateName);
    return [];
  });
}

function badPrefixes(config: Table): Breach[] {
  const owners = new Map<string, string>();
  return entriesOf(config, 'repos').flatMap(([name, repo]) => {
    const prefix = repo['prefix'];
    if (typeof prefix !== 'string') return [];
    const path = ['repos', name, 'prefix'];
    if (RESERVED_PREFIXES.includes(prefix)) {
      const message = `"${prefix}" is reserved; so are ${RESERVED_PREFIXES.filter((other) => other !== prefix).join(', ')}`;
      return [{ path, message }];
    }
    const owner = owners.get(prefix);
    if (owner !== undefined) {
      return [{ path, message: `"${prefix}" is already the prefix of repos.${owner}` }];
    }
    owners.set(prefix, name);
    return [];
  });
}

function suggestion(name: string, known: Table): string {
  const meant = closest(name, Object.keys(known));
  return meant === null ? '' : `; did you mean "${meant}"?`;
}

const tableAt = (table: Table, key: string): Table => {
  const value = table[key];
  return isTable(value) ? value : {};
};
const entriesOf = (table: Table, key: string): [string, Table][] =>
  Object.entries(tableAt(table, key)).flatMap(([name, value]) =>
    isTable(value) ? [[name, value]] : [],
  );
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
