import { isScalarType } from "@/lib/store/shape.ts";
import { type Path } from "./paths.ts";
import { valueOf, type View, withParameter } from "./view.ts";

export interface Sorting {
  /** Whether and how the list is sorted by the path before all else. */
  readonly order: "ascending" | "descending" | null;
  /** The list as the next click on the header has it. */
  readonly next: View;
}

/** The order that a list has if it is not told. */
const NEWEST_FIRST = "-createdAt";

/** Null for what no list is sorted by. */
export function sortingBy(view: View, { path, type }: Path): Sorting | null {
  if (!isScalarType(type)) return null;
  const first = (valueOf(view, "sort") ?? NEWEST_FIRST).split(",")[0]!;
  const order = isAscending(first, path)
    ? "ascending"
    : isDescending(first, path)
    ? "descending"
    : null;
  const next = order === null ? path : order === "ascending" ? `-${path}` : null;
  // Where none is the same as descending, a click would do nothing.
  const told = next === null && `-${path}` === NEWEST_FIRST ? path : next;
  return { order, next: withParameter(view, "sort", told === NEWEST_FIRST ? null : told) };
}

const isAscending = (term: string, path: string): boolean =>
  term === path || term === `${path}:asc`;

const isDescending = (term: string, path: string): boolean =>
  term === `-${path}` || term === `${path}:desc`;
