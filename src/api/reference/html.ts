/** Text that is HTML already, as opposed to text that must be escaped. */
export type Html = { readonly text: string };

/** A template whose values are escaped unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: (string | Html)[]): Html {
  const text = parts.reduce((done, part, place) => {
    const value = values[place - 1] ?? '';
    return done + (typeof value === 'string' ? escaped(value) : value.text) + part;
  });
  return { text };
}

export const join = (parts: readonly Html[]): Html => ({
  text: parts.map(({ text }) => text).join(''),
});

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
