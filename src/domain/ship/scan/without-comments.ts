/** Blanks the comments and trailing commas of a relaxed JSON text, keeping every line where it is. */
export function withoutComments(text: string): string {
  const bare = text.replaceAll(
    /("(?:\\.|[^"\\])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
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
  return text
    .replaceAll(/^[ \t]*\/\/[^\n]*/gm, blank)
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\//gm, blank);
}

const blank = (remark: string): string => remark.replaceAll(/[^\n]/g, ' ');
