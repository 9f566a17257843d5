/** What generated code calls the types and operations of a collection. */
export interface TypeName {
  /** Begins the names of its schemas: `BlogPosts`. */
  readonly type: string;
  /** Begins the names of its operations: `blogPosts`. */
  readonly operation: string;
}

/** How the names of a collection's own schemas end. */
export const SUFFIXES = {
  document: "Document",
  shown: "ShownDocument",
  create: "Create",
  replace: "Replace",
  patch: "Patch",
  where: "Where",
} as const;

/** How those end that are copied for each collection, since they hold one of its own. */
const COPIED = /^(?:List|BulkInput|(?:List|Create|Get|Replace|Patch|Recover)?Answer(?:20[01])?)$/;

/** The name of a collection's copy of a schema that all of them have: `PostsListAnswer`. */
export function copyName({ type }: TypeName, schema: string): string {
  const end = schema.replace(/Documents?/, "");
  if (!COPIED.test(end)) throw new Error(`${schema} holds documents: say how its copies are named`);
  return type + end;
}

/**
 * Names that stay apart also where letter case and signs do not count, as in files that generators
 * write.
 * @param taken Names of schemas that are there already.
 */
export function typeNames(
  collections: readonly string[],
  taken: readonly string[],
): ReadonlyMap<string, TypeName> {
  const others = taken.map((name) => name.toLowerCase());
  const used = new Set<string>();
  /** Whether this and an end of ours make the name of a schema that is there already. */
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

const ENDS = new RegExp(`^(?:${Object.values(SUFFIXES).join("|")})$|${COPIED.source}`, "i");

const isEnd = (text: string): boolean => ENDS.test(text);
