/**
 * The part of a page's query that its list is asked for. @param limit Of one page, if not as many
 * as lists have by default.
 */
export function pagingOf(query: string, limit?: number): string {
  const given = [...new URLSearchParams(query)].filter(([name]) => name === "cursor");
  if (limit !== undefined) given.push(["limit", String(limit)]);
  return new URLSearchParams(given).toString();
}

/** The way on in a list, and back to its beginning. */
export const Pages = (
  { path, query, nextCursor, what }: {
    path: string;
    query: string;
    nextCursor: string | null;
    /** In the plural. */
    what: string;
  },
) => {
  const isFirst = pagingOf(query) === "";
  if (isFirst && nextCursor === null) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${what}`}>
      {!isFirst && <a href={path}>First {what}</a>}
      {nextCursor !== null && (
        <a href={`${path}?${new URLSearchParams({ cursor: nextCursor })}`}>More {what}</a>
      )}
    </nav>
  );
};
