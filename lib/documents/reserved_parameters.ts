/** Parameters of lists. Their names are never read as names of fields. */
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

export const isReserved = (name: string): name is (typeof RESERVED_PARAMETERS)[number] =>
  (RESERVED_PARAMETERS as readonly string[]).includes(name);

/** Parameters for the offset, which are conditions if the collection declares the field. */
export const OFFSET_NAMES: readonly string[] = ["offset", "skip"];

/** Parameter for a filter in JSON, unless the collection declares a field of this name. */
export const JSON_FILTER = "filter";

/** Names of the parameters in other APIs, in lower case and without `_` and `-`. */
const ALIASES: Readonly<Record<string, typeof RESERVED_PARAMETERS[number]>> = {
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

/** Returns the parameter of lists that has this name in other APIs, or null. */
export const parameterForAlias = (name: string): string | null => {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
  return Object.hasOwn(ALIASES, plain) ? ALIASES[plain]! : null;
};

export const LIST_PARAMETERS: readonly string[] = [
  ...RESERVED_PARAMETERS,
  ...OFFSET_NAMES,
  JSON_FILTER,
];
