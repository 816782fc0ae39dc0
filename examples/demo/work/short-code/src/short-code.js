import { randomInt } from 'node:crypto';

const SIGNS = '0123456789abcdefghijklmnopqrstuvwxyz';
const LENGTH = 7;

/** Seven letters and digits, and never a code that is taken. */
export function shortCode(isTaken, random = randomInt) {
  for (;;) {
    const code = Array.from({ length: LENGTH }, () => SIGNS[random(SIGNS.length)]).join('');
    if (!isTaken(code)) return code;
  }
}
