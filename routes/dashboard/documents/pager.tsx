import type { Child } from "hono/jsx";
import type { DocumentList } from "@/lib/documents/list_documents.ts";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { gridPath, parameterOf, toPage, type View } from "./view.ts";

/** Position of the page in the list, with links to the previous and the next page. */
export const Pager = (
  { list, view, shown, children }: {
    list: DocumentList;
    view: View;
    shown: number;
    children?: Child;
  },
) => {
  const { prevCursor, nextCursor, limit } = list;
  const from = list.page === null ? view.from : (list.page - 1) * limit + 1;
  const sort = parameterOf(view, "sort");
  const { grid: t } = texts().documents;
  const [back, on] = sort === null || sort === "-createdAt"
    ? [t.newer, t.older]
    : [t.previous, t.next];
  return (
    <div class="bar pager">
      <small>{rangeText(list, from, shown)}</small>
      {children}
      <span class="grow"></span>
      <PageLink
        label={back}
        href={prevCursor === null
          ? null
          : gridPath(toPage(view, prevCursor, from && Math.max(1, from - limit)))}
      />
      <PageLink
        label={on}
        href={nextCursor === null ? null : gridPath(toPage(view, nextCursor, from && from + shown))}
      />
    </div>
  );
};

const PageLink = ({ label, href }: { label: string; href: string | null }) =>
  href === null
    ? <button type="button" class="quiet" disabled>{label}</button>
    : <a role="button" class="quiet" href={href}>{label}</a>;

/** Returns a text such as `26–50 of 1,182`, or only the number of rows if `from` is unknown. */
function rangeText({ total, totalIsEstimate }: DocumentList, from: number | null, shown: number) {
  const place = from === null
    ? countText(shown)
    : `${countText(from)}–${countText(from + shown - 1)}`;
  if (total === null) return place;
  const { grid: t } = texts().documents;
  return totalIsEstimate ? t.placeAbout(place, total) : t.place(place, total);
}
