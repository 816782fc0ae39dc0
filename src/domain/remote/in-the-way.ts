/**
 * Branches of a remote that leave no room for a convoy's own under this name: those inside its
 * folder, and one that has the name of the folder or of one above it.
 */
export function inTheWay<B extends { readonly name: string }>(
  head: string,
  listed: readonly B[],
): B[] {
  const parts = head.split('/').slice(0, -1);
  const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  const folder = `${parts.join('/')}/`;
  return listed.filter(({ name }) => name.startsWith(folder) || above.includes(name));
}
