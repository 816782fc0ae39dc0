/** A line under a heading or a task that says something about it. */
export type Directive =
  | { readonly says: 'after'; readonly references: string }
  | { readonly says: 'repo' | 'agent'; readonly name: string }
  | { readonly says: 'branch'; readonly wanted: boolean };

/** Reads `after: a, b`, `depends on a, b`, `repo: x`, `agent: x`, `branch: yes`; other text is prose. */
export function directiveIn(line: string): Directive | null {
  if (line.length > LONGEST) return null;
  const match = /^(after|depends on|repo|agent|branch)(:| ) *(\S.*)$/i.exec(line.trim());
  if (!match) return null;
  const key = match[1]!.toLowerCase();
  const value = match[3]!.trim();
  if (key === 'depends on') return { says: 'after', references: value.replace(/^: */, '') };
  if (match[2] !== ':') return null;
  if (key === 'after') return { says: 'after', references: value };
  if (key === 'branch') {
    const wanted = /^(?:(yes|true)|no|false)$/i.exec(value);
    return wanted && { says: 'branch', wanted: wanted[1] !== undefined };
  }
  const name = value.replaceAll('`', '');
  return /^[\w./-]+$/.test(name) ? { says: key === 'repo' ? 'repo' : 'agent', name } : null;
}

const LONGEST = 2000;
