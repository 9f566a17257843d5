import { isScalarType } from "@/lib/store/shape.ts";
import { type Path } from "./paths.ts";
import { parameterOf, type View, withParameter } from "./view.ts";

export interface Sorting {
  /** Order of the path if the list is sorted by it first, else null. */
  readonly order: "ascending" | "descending" | null;
  /** View that a click on the header opens. */
  readonly next: View;
}

/** Default order of a list. */
const NEWEST_FIRST = "-createdAt";

/** Returns the sorting by a path, or null if lists cannot be sorted by it. */
export function sortingBy(view: View, { path, type }: Path): Sorting | null {
  if (!isScalarType(type)) return null;
  const first = (parameterOf(view, "sort") ?? NEWEST_FIRST).split(",")[0]!;
  const order = isAscending(first, path)
    ? "ascending"
    : isDescending(first, path)
    ? "descending"
    : null;
  const next = order === null ? path : order === "ascending" ? `-${path}` : null;
  // Removing the default order would not change the list.
  const sort = next === null && `-${path}` === NEWEST_FIRST ? path : next;
  return { order, next: withParameter(view, "sort", sort === NEWEST_FIRST ? null : sort) };
}

const isAscending = (term: string, path: string): boolean =>
  term === path || term === `${path}:asc`;

const isDescending = (term: string, path: string): boolean =>
  term === `-${path}` || term === `${path}:desc`;
