import type { Option } from '../command.ts';

/** How `up` is reached from other machines. */
export const BIND_OPTIONS = [
  { kind: 'text', name: 'host', value: 'HOST', summary: 'be reached from elsewhere, too' },
  { kind: 'text', name: 'tls-cert', value: 'FILE', summary: 'certificate for --host' },
  { kind: 'text', name: 'tls-key', value: 'FILE', summary: 'key of the certificate' },
  { kind: 'flag', name: 'insecure', summary: 'let --host go unencrypted' },
] as const satisfies readonly Option[];
