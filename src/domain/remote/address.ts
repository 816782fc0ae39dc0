/** A remote's URL as it may be written down: without the name and the password in it. */
export const addressOf = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
