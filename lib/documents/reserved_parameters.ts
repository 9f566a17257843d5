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

/** What other APIs call parameters of lists, in lower case and without signs. */
const OTHER_NAMES: Readonly<Record<string, typeof RESERVED_PARAMETERS[number]>> = {
  order: "sort",
  orderby: "sort",
  sortby: "sort",
  select: "fields",
  perpage: "limit",
  pagesize: "limit",
  take: "limit",
  top: "limit",
  include: "populate",
  with: "populate",
  q: "search",
  query: "search",
  after: "cursor",
};

/** The parameter of lists that other APIs call so; null if there is none. */
export const parameterCalled = (name: string): string | null => {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
  return Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain]! : null;
};

/** What lists take beside conditions. */
export const LIST_PARAMETERS: readonly string[] = [
  ...RESERVED_PARAMETERS,
  ...OFFSET_NAMES,
  JSON_FILTER,
];
