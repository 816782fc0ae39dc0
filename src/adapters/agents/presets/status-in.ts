/** The HTTP status that an error message names, for agents that tell it only in prose. */
export function statusIn(message: string): number | null {
  const named =
    /\bstatus(?: code)?:? "?([45]\d\d)\b/i.exec(message) ??
    /"code":\s*"?([45]\d\d)\b/.exec(message) ??
    /\b(?:API Error|HTTP):? ([45]\d\d)\b/i.exec(message);
  return named?.[1] === undefined ? null : Number(named[1]);
}
