/** Compares ids the way people count: `app.2` comes before `app.10`. */
export function naturalOrder(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = endOfDigits(a, i);
      const endB = endOfDigits(b, j);
      const order = compareNumbers(a.slice(i, endA), b.slice(j, endB));
      if (order !== 0) return order;
      i = endA;
      j = endB;
      continue;
    }
    const order = a.charCodeAt(i) - b.charCodeAt(j);
    if (order !== 0) return order;
    i += 1;
    j += 1;
  }
  const rest = a.length - i - (b.length - j);
  if (rest !== 0) return rest;
  // Equal but for leading zeros: any fixed order will do, as long as it is one.
  return a < b ? -1 : a > b ? 1 : 0;
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end += 1;
  return end;
}

/** Digits may be longer than a number can hold, so they are compared as text. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}
