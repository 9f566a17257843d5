/** Parameters of lists that never are fields. */
export const RESERVED_PARAMETERS = [
  "page",
  "limit",
  "sort",
  "cursor",
  "fields",
  "populate",
  "expand",
  "count",
  "total",
  "include_deleted",
  "meta",
  "where",
  "explain",
  "search",
] as const;

/** Whether a parameter never is a field. */
export const isReserved = (name: string): name is (typeof RESERVED_PARAMETERS)[number] =>
  (RESERVED_PARAMETERS as readonly string[]).includes(name);

/** Both are fields where a collection declares them. */
export const OFFSET_NAMES: readonly string[] = ["offset", "skip"];

/** The text of a filter, in a collection that declares no field of this name. */
export const JSON_FILTER = "filter";

/** What lists take beside conditions. */
export const LIST_PARAMETERS: readonly string[] = [
  ...RESERVED_PARAMETERS,
  ...OFFSET_NAMES,
  JSON_FILTER,
];
