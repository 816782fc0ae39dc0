/** Whether git accepts `refs/heads/<name>` and people can use it: no `-x`, no second `HEAD`. */
export function isBranchName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name.startsWith('-') || name.endsWith('.')) return false;
  if (name.includes('..') || name.includes('@{')) return false;
  // Control characters, blanks and everything that means something in a revision or pattern.
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return false;
  return name
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}
