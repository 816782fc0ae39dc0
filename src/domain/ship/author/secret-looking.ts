import { foldName } from './ownership.ts';

const DIRECTORIES = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.azure', '.gcloud', '.secrets']);

const NAMES: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /\.convoy-secrets$/,
  /^\.?(?:netrc|_netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg|vault-token|boto|s3cfg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|ovpn|tfstate)(?:\.(?:bak|old|backup))?$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /^(?:client_secret|service[-_]?account)[\w.-]*\.json$/,
];

/** Files that begin like a secret and hold names only. */
const HARMLESS = /^\.env(?:\.[a-z0-9-]+)?\.(?:schema|example|sample|template|dist)$/;

/** Whether a file's name says that it holds credentials; names are compared as forgiving disks do. */
export function isSecretName(path: string): boolean {
  const parts = path.split('/').map(foldName);
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => DIRECTORIES.has(part))) return true;
  return !HARMLESS.test(name) && NAMES.some((pattern) => pattern.test(name));
}

/** Shapes that are hardly ever anything but a credential; a guess would hold back honest fixes. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  /\bgithub_pat_\w{22,}/,
  /\bglpat-[\w-]{20,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{20,}/,
  /\bsk-ant-[\w-]{20,}/,
  /\bsk-(?:proj|svcacct)-[\w-]{20,}/,
  /\b[rs]k_live_[A-Za-z0-9]{16,}/,
  /\bAIza[\w-]{35}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bFlyV1 \w/,
];

const LONGEST_LINE = 20_000;

/** Whether any of these lines holds a credential. */
export const holdsSecret = (lines: readonly string[]): boolean =>
  lines.some((line) => SHAPES.some((shape) => shape.test(line.slice(0, LONGEST_LINE))));
