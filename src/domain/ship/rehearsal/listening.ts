/** A TCP socket that accepts connections on this machine. */
export type Listener = {
  readonly port: number;
  readonly address: string;
  /** The number that ties it to a descriptor of its process. */
  readonly inode: string;
};

const LISTEN = '0A';

/** Reads the listeners from the kernel's table (`/proc/net/tcp`, `/proc/net/tcp6`). */
export function listenersIn(table: string): Listener[] {
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [host, port] = (fields[1] ?? '').split(':');
    if (fields[3] !== LISTEN || host === undefined || port === undefined) return [];
    return [{ port: Number.parseInt(port, 16), address: addressOf(host), inode: fields[9] ?? '0' }];
  });
}

/** The host to call for a listener: a wildcard is reached over the loopback. */
export function callHost(listener: Listener): string {
  if (listener.address === '0.0.0.0' || listener.address === '::') return '127.0.0.1';
  if (listener.address.includes(':'))
    return listener.address.startsWith('::ffff:')
      ? listener.address.slice('::ffff:'.length)
      : `[${listener.address}]`;
  return listener.address;
}

/** Puts the port we asked for first, then the one the lane names, then the rest from low to high. */
export function inOrderOfHope(
  listeners: readonly Listener[],
  asked: number,
  named: number | null,
): Listener[] {
  const rank = ({ port }: Listener): number => (port === asked ? 0 : port === named ? 1 : 2);
  return listeners.toSorted((a, b) => rank(a) - rank(b) || a.port - b.port);
}

/** The kernel writes each 32-bit word of an address in the machine's (little-endian) order. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255)
    return `::ffff:${bytes.slice(12).join('.')}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  return groups.join(':').replace(/(?:^|:)0(?::0)+(?:$|:)/, '::');
}
