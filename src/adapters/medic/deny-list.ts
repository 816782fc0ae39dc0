/** Folders that hold credentials or history, or are too big to be worth reading. */
const FOLDERS = new Set([
  '.git',
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  '.gcloud',
  '.convoy',
  '.hg',
  '.svn',
  '.secrets',
  'secrets',
]);

const FILES: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /^\.?(?:npmrc|yarnrc|netrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|terraformrc|vault-token|boto|s3cfg)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate|tfvars)(?:\.\w+)?$/,
  /^(?:credentials|secrets?)(?:\.[\w.]+)?$/,
  /^(?:client_secret|service[-_]?account|gcp[-_]?key)[\w.-]*\.json$/,
  /^local\.settings\.json$/,
];

/**
 * Says whether a path inside the repository must stay unread.
 *
 * File systems disagree on case and on characters without width, so both are folded away first.
 */
export function isDenied(path: string): boolean {
  const parts = path.split(/[/\\]/).map(folded);
  const name = parts.at(-1) ?? '';
  return (
    parts.some((part) => FOLDERS.has(part)) ||
    parts.some((part) => part.startsWith('.env')) ||
    FILES.some((pattern) => pattern.test(name))
  );
}

function folded(part: string): string {
  return part
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/::\$data$/, '');
}
