import type { Child } from "hono/jsx";
import type { DocumentList } from "@/lib/documents/list_documents.ts";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { hrefOf, turned, valueOf, type View } from "./view.ts";

/** Where the page lies in the whole, and the way to those beside it. */
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
  const sort = valueOf(view, "sort");
  const { grid: t } = texts().documents;
  const [back, on] = sort === null || sort === "-createdAt"
    ? [t.newer, t.older]
    : [t.previous, t.next];
  return (
    <div class="bar pager">
      <small>{placeText(list, from, shown)}</small>
      {children}
      <span class="grow"></span>
      <Turn
        label={back}
        href={prevCursor === null
          ? null
          : hrefOf(turned(view, prevCursor, from && Math.max(1, from - limit)))}
      />
      <Turn
        label={on}
        href={nextCursor === null ? null : hrefOf(turned(view, nextCursor, from && from + shown))}
      />
    </div>
  );
};

const Turn = ({ label, href }: { label: string; href: string | null }) =>
  href === null
    ? <button type="button" class="quiet" disabled>{label}</button>
    : <a role="button" class="quiet" href={href}>{label}</a>;

/** `26–50 of 1,182`; where the page lies is not known of an address that does not say it. */
function placeText({ total, totalIsEstimate }: DocumentList, from: number | null, shown: number) {
  const place = from === null
    ? countText(shown)
    : `${countText(from)}–${countText(from + shown - 1)}`;
  if (total === null) return place;
  const { grid: t } = texts().documents;
  return totalIsEstimate ? t.placeAbout(place, total) : t.place(place, total);
}
