/** Blanks the comments and trailing commas of a relaxed JSON text, keeping every line where it is. */
export function withoutComments(text: string): string {
  const bare = text.replaceAll(
    /("(?:\\.|[^"\\])*")|\/\*[\s\S]{0,2000}?\*\/|\/\/[^\n]*/g,
    (whole: string, quoted: string | undefined) => quoted ?? whole.replaceAll(/[^\n]/g, ' '),
  );
  return bare.replaceAll(
    /("(?:\\.|[^"\\])*")|,(\s*[}\]])/g,
    (whole: string, quoted: string | undefined, end: string | undefined) => quoted ?? end ?? whole,
  );
}

/** Blanks what is commented out of program text, so that dead lines prove nothing. */
export function withoutRemarks(text: string, file: string): string {
  if (/\.(py|rb|ru|ex|exs|sh|ya?ml|toml)$/.test(file))
    return text.replaceAll(/^[ \t]*#[^\n]*/gm, blank);
  return withoutBlocks(text.replaceAll(/^[ \t]*\/\/[^\n]*/gm, blank));
}

// Searched by hand: a pattern would start over at every comment that never ends.
function withoutBlocks(text: string): string {
  let shown = '';
  let from = 0;
  for (let start = text.indexOf('/*'); start >= 0; start = text.indexOf('/*', start + 2)) {
    const end = text.indexOf('*/', start + 2);
    if (end < 0) break;
    const line = text.slice(text.lastIndexOf('\n', start) + 1, start);
    if (start < from || line.trim() !== '') continue;
    shown += text.slice(from, start) + blank(text.slice(start, end + 2));
    from = end + 2;
  }
  return shown + text.slice(from);
}

const blank = (remark: string): string => remark.replaceAll(/[^\n]/g, ' ');
