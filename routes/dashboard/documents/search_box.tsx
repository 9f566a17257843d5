import type { Collection } from "@/lib/documents/collection.ts";
import { SEARCH_LENGTH_MAX } from "@/lib/limits.ts";
import { searchPathsOf } from "@/lib/store/search.ts";
import { texts } from "../texts/mod.ts";
import { toParameter } from "./filters.ts";
import { pathsOf, titleKeyOf } from "./paths.ts";
import type { GridContext } from "./context.ts";
import { parameterOf, type View, viewText, withParameter } from "./view.ts";

export interface SearchParameter {
  readonly name: string;
  readonly label: string;
}

/** Returns the word search if fields have it, else a filter of the first text field, else null. */
export function searchParameterOf(collection: Collection): SearchParameter | null {
  const { tools: t } = texts().documents;
  const fields = searchPathsOf(collection.records);
  if (fields.length > 0) return { name: "search", label: t.searchIn(fields.join(", ")) };
  const path = pathsOf(collection).get(titleKeyOf(collection.definition) ?? "");
  if (path === undefined) return null;
  const [name] = toParameter(collection, path, { chosen: "contains", value: "" });
  // The name belongs to another field, so that only `where` could express the filter.
  return name === "where" ? null : { name, label: t.searchIn(path.path) };
}

/** Returns the view with a search. An empty text removes the search. */
export function withSearch(collection: Collection, view: View, typed: string): View {
  const { name } = searchParameterOf(collection) ?? { name: "search" };
  return withParameter(view, name, typed.trim() || null);
}

/** Search box. Also shown for a collection without search if the address has one, to remove it. */
export const SearchBox = (
  { context: { collection, path }, view }: { context: GridContext; view: View },
) => {
  const { tools: t } = texts().documents;
  const parameter = searchParameterOf(collection) ??
    (parameterOf(view, "search") === null ? null : { name: "search", label: t.search });
  if (parameter === null) return null;
  return (
    <form class="search" action={`${path}/search`}>
      <input type="hidden" name="view" value={viewText(view)} />
      <input
        name="search"
        type="search"
        value={parameterOf(view, parameter.name) ?? ""}
        maxlength={SEARCH_LENGTH_MAX}
        aria-label={parameter.label}
        placeholder={parameter.label}
        autocomplete="off"
      />
      <button class="quiet">{t.search}</button>
    </form>
  );
};
