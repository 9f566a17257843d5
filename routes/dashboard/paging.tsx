import { LIST_LIMIT_DEFAULT } from "@/lib/limits.ts";
import type { PageRequest } from "@/lib/paging/record_page.ts";
import { texts } from "./texts/mod.ts";

/** What a page's query asks its list for. @param limit Of one page. */
export const pagingOf = (query: string, limit: number = LIST_LIMIT_DEFAULT): PageRequest => ({
  limit,
  cursor: new URLSearchParams(query).get("cursor") ?? undefined,
});

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
  const t = texts().shared.pages;
  const isFirst = pagingOf(query).cursor === undefined;
  if (isFirst && nextCursor === null) return null;
  return (
    <nav class="pages" aria-label={t.of(what)}>
      {!isFirst && <a href={path}>{t.first(what)}</a>}
      {nextCursor !== null && (
        <a href={`${path}?${new URLSearchParams({ cursor: nextCursor })}`}>{t.more(what)}</a>
      )}
    </nav>
  );
};
