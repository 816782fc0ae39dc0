import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A new secret that can be told from other text; known afterwards only to whoever it is given. */
export const newSecret = (): string => `cvy_${randomBytes(32).toString('base64url')}`;

/** How a secret is kept: 256 random bits need no salt and no slow hash. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** What a page must send along with its cookie to change something; it says nothing of the cookie. */
export const csrfOf = (session: string): string => hashSecret(`csrf ${session}`).slice(0, 32);

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 6;

export const newTokenId = (): string =>
  `tok-${Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
