import { LIST_LIMIT_DEFAULT } from "@/lib/limits.ts";
import type { PageRequest } from "@/lib/paging/record_page.ts";
import { texts } from "./texts/mod.ts";

export const readPaging = (query: string, limit: number = LIST_LIMIT_DEFAULT): PageRequest => ({
  limit,
  cursor: new URLSearchParams(query).get("cursor") ?? undefined,
});

export const PageLinks = (
  { path, query, nextCursor, what }: {
    path: string;
    query: string;
    nextCursor: string | null;
    /** Name of the items, in the plural. */
    what: string;
  },
) => {
  const t = texts().shared.pages;
  const isFirst = readPaging(query).cursor === undefined;
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
