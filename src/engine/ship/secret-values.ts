import type { Sources } from '../../ports/plans.ts';

/** Values that must show nowhere; a file that is refused is not read, so it is not known either. */
export async function secretValuesOf(
  sources: Pick<Sources, 'secrets'>,
  root: string,
): Promise<readonly string[]> {
  const file = await sources.secrets(root);
  return file.kind === 'read' ? Object.values(file.values).filter((value) => value !== '') : [];
}
