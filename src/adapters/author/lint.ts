import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { checkDockerfile } from '../../domain/ship/author/check-dockerfile.ts';
import { baseOf } from '../../domain/ship/author/paths.ts';

/** What is wrong with a deployment file; empty when the tool that reads it would understand it. */
export function lintFile(path: string, content: string): readonly string[] {
  if (content.includes('\0')) return ['it holds a zero byte'];
  if (!content.endsWith('\n')) return ['its last line has no end'];
  const name = baseOf(path);
  if (name.endsWith('.dockerignore')) return [];
  if (name.startsWith('Dockerfile')) return checkDockerfile(content);
  if (name.endsWith('.json')) return complaints(() => JSON.parse(content));
  if (name.endsWith('.toml')) return complaints(() => parseToml(content));
  if (/\.ya?ml$/.test(name)) return yamlProblems(content);
  if (name.endsWith('.schema')) return schemaProblems(content);
  return ['Convoy knows no such file'];
}

function yamlProblems(content: string): readonly string[] {
  const document = parseDocument(content, { uniqueKeys: true });
  const problems = [...document.errors, ...document.warnings].map(({ message }) =>
    firstLine(message),
  );
  // An alias is resolved only here, and one too many is a way to fill the memory.
  return problems.length > 0 ? problems : complaints(() => document.toJS({ maxAliasCount: 0 }));
}

/** Names only: a value here would be a secret in git. */
function schemaProblems(content: string): readonly string[] {
  return content
    .split('\n')
    .flatMap((line, at) =>
      line === '' || line.startsWith('#') || /^[A-Za-z_][A-Za-z0-9_]*=$/.test(line)
        ? []
        : [`line ${at + 1}: only names may stand here`],
    );
}

function complaints(parse: () => unknown): readonly string[] {
  try {
    const value = parse();
    const table = typeof value === 'object' && value !== null && !Array.isArray(value);
    return table ? [] : ['it holds no table'];
  } catch (cause) {
    return [firstLine(cause instanceof Error ? cause.message : String(cause))];
  }
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
