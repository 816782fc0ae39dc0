import { expect, test } from 'vitest';
import { callHost, inOrderOfHope, listenersIn } from './listening.ts';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 100 0 0 10 0`;
const at = (port: number) => ({ port, address: '127.0.0.1', inode: String(port) });

test('listeners are read with address, port and inode; other sockets are not', () => {
  const table = [HEADER, row('0100007F:1F90', '0A', 11), row('0100007F:1F91', '01', 12)].join('\n');
  expect(listenersIn(table)).toEqual([{ address: '127.0.0.1', port: 8080, inode: '11' }]);
});

test('the wildcard and both loopbacks are called where they can be reached', () => {
  const hosts = [
    '00000000:1F90',
    '0100007F:1F90',
    '00000000000000000000000000000000:1F90',
    '00000000000000000000000001000000:1F90',
    '0000000000000000FFFF00000100007F:1F90',
  ].flatMap((local) => listenersIn(row(local, '0A', 1)).map(callHost));
  expect(hosts).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1', '[::1]', '127.0.0.1']);
});

test('the port that was asked for comes first, then the one the lane names', () => {
  const order = inOrderOfHope([at(9229), at(3000), at(80), at(4000)], 4000, 3000);
  expect(order.map(({ port }) => port)).toEqual([4000, 3000, 80, 9229]);
});
