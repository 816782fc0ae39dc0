const PAGE = 1000;

type Page<T> = { readonly rows: readonly T[]; readonly next: string | null };

/** Follows the cursor until there is no more, or enough. */
export async function allPages<T>(
  most: number | undefined,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE, (most ?? Infinity) - rows.length);
    const page: Page<T> = await fetchPage(cursor === null ? { limit } : { limit, cursor });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null && rows.length < (most ?? Infinity));
  return rows;
}
