import type { Collection } from "@/lib/documents/collection.ts";
import { SEARCH_LENGTH_MAX } from "@/lib/limits.ts";
import { searchPathsOf } from "@/lib/store/search.ts";
import { texts } from "../texts/mod.ts";
import { parameterOf } from "./filters.ts";
import { pathsOf, titleKeyOf } from "./paths.ts";
import type { Room } from "./room.ts";
import { valueOf, type View, viewText, withParameter } from "./view.ts";

/** How the box above a grid finds documents. */
export interface SearchWay {
  /** The list's parameter that takes what is typed. */
  readonly name: string;
  readonly label: string;
}

/** By words where fields are searched, else by a part of the first text; null where neither is. */
export function searchWayOf(collection: Collection): SearchWay | null {
  const { tools: t } = texts().documents;
  const fields = searchPathsOf(collection.records);
  if (fields.length > 0) return { name: "search", label: t.searchIn(fields.join(", ")) };
  const path = pathsOf(collection).get(titleKeyOf(collection.definition) ?? "");
  if (path === undefined) return null;
  const [name] = parameterOf(collection, path, { chosen: "contains", value: "" });
  // Where the name is another field's, only a `where` could say it.
  return name === "where" ? null : { name, label: t.searchIn(path.path) };
}

/** The view that looks for this; nothing to look for is no search. */
export function searched(collection: Collection, view: View, typed: string): View {
  const { name } = searchWayOf(collection) ?? { name: "search" };
  return withParameter(view, name, typed.trim() || null);
}

/** Also where nothing can be searched, as long as the address asks for it: to be emptied. */
export const SearchBox = (
  { room: { collection, path }, view }: { room: Room; view: View },
) => {
  const { tools: t } = texts().documents;
  const way = searchWayOf(collection) ??
    (valueOf(view, "search") === null ? null : { name: "search", label: t.search });
  if (way === null) return null;
  return (
    <form class="search" action={`${path}/search`}>
      <input type="hidden" name="view" value={viewText(view)} />
      <input
        name="search"
        type="search"
        value={valueOf(view, way.name) ?? ""}
        maxlength={SEARCH_LENGTH_MAX}
        aria-label={way.label}
        placeholder={way.label}
        autocomplete="off"
      />
      <button class="quiet">{t.search}</button>
    </form>
  );
};
