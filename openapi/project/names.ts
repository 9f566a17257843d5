export interface TypeName {
  /** Prefix of schema names: `BlogPosts`. */
  readonly type: string;
  /** Prefix of operation ids: `blogPosts`. */
  readonly operation: string;
}

/** Suffixes of the names of a collection's own schemas. */
export const SUFFIXES = {
  document: "Document",
  shown: "ShownDocument",
  create: "Create",
  replace: "Replace",
  patch: "Patch",
  where: "Where",
} as const;

/** Suffixes of schemas that are copied for each collection because they contain its documents. */
const COPIED_SUFFIX =
  /^(?:List|BulkInput|(?:List|Create|Get|Replace|Patch|Recover)?Answer(?:20[01])?)$/;

/** Returns the name of a collection's copy of a general schema: `PostsListAnswer`. */
export function copyName({ type }: TypeName, schema: string): string {
  const end = schema.replace(/Documents?/, "");
  if (!COPIED_SUFFIX.test(end)) {
    throw new Error(`${schema} contains documents, but COPIED_SUFFIX has no suffix for its copies`);
  }
  return type + end;
}

/** Returns names that differ in more than case and signs, since they become file names. */
export function typeNames(
  collections: readonly string[],
  taken: readonly string[],
): ReadonlyMap<string, TypeName> {
  const others = taken.map((name) => name.toLowerCase());
  const used = new Set<string>();
  /** Whether the prefix is used, or with one of our suffixes names an existing schema. */
  const isTaken = (type: string): boolean => {
    const start = type.toLowerCase();
    return used.has(start) ||
      others.some((name) => name.startsWith(start) && isEnd(name.slice(start.length)));
  };
  const names = new Map<string, TypeName>();
  for (const collection of collections.toSorted()) {
    const joined = collection.replaceAll(/[-_]+(.?)/g, (_, next) => next.toUpperCase());
    const plain = joined[0]!.toUpperCase() + joined.slice(1);
    let type = plain;
    for (let i = 2; isTaken(type); i++) type = plain + i;
    used.add(type.toLowerCase());
    names.set(collection, { type, operation: type[0]!.toLowerCase() + type.slice(1) });
  }
  return names;
}

const ENDS = new RegExp(`^(?:${Object.values(SUFFIXES).join("|")})$|${COPIED_SUFFIX.source}`, "i");

const isEnd = (text: string): boolean => ENDS.test(text);
