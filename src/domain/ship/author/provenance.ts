/** What Convoy wrote, so that a later run knows which files are still as it left them. */
export type Provenance = {
  readonly templateVersion: number;
  /** ISO time, given by the caller. */
  readonly generatedAt: string;
  readonly files: Readonly<Record<string, string>>;
};

/** Changes whenever a template does. */
export const TEMPLATE_VERSION = 1;

const SCHEMA = 'convoy.provenance.v1';

export function renderProvenance(record: Provenance): string {
  const files = Object.fromEntries(
    Object.entries(record.files).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const text = {
    schema: SCHEMA,
    note: 'Convoy wrote these files. Edit one and it is yours: Convoy leaves it alone from then on.',
    template_version: record.templateVersion,
    generated_at: record.generatedAt,
    files: Object.fromEntries(Object.entries(files).map(([path, sha256]) => [path, { sha256 }])),
  };
  return `${JSON.stringify(text, null, 2)}\n`;
}

/** Reads a record; anything that is not one owns nothing. */
export function parseProvenance(text: string): Provenance | null {
  const record = objectOf(parsed(text));
  if (record === null || record['schema'] !== SCHEMA) return null;
  const files = objectOf(record['files']);
  const { template_version: templateVersion, generated_at: generatedAt } = record;
  if (files === null || typeof templateVersion !== 'number' || typeof generatedAt !== 'string')
    return null;
  const digests = Object.entries(files).flatMap(([path, entry]) => {
    const sha256 = objectOf(entry)?.['sha256'];
    return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
      ? [[path, sha256] as const]
      : [];
  });
  return { templateVersion, generatedAt, files: Object.fromEntries(digests) };
}

/** The digest a record holds for a path, never one inherited from elsewhere. */
export const recordedDigest = (record: Provenance | null, path: string): string | null =>
  record !== null && Object.hasOwn(record.files, path) ? (record.files[path] ?? null) : null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}
