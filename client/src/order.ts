// deno-lint-ignore no-explicit-any -- Documents can have any shape.
type Doc = any;

type Sort = string | readonly string[] | undefined;

const keysOf = (sort: Sort) =>
  String(sort?.length ? sort : "-createdAt").split(",").map((term) => {
    const [name = "", direction] = term.replace(/^-/, "").split(":");
    return { name, sign: term.startsWith("-") || direction === "desc" ? -1 : 1 };
  });

export const sortPaths = (sort: Sort): string[] => keysOf(sort).map(({ name }) => name);

/** Returns the server's order: missing and null first, text by code points, ids last. */
export function documentOrder(sort: Sort): (one: Doc, other: Doc) => number {
  const keys = keysOf(sort).map(({ name, sign }) => ({ path: name.split("."), sign }));
  keys.push({ path: ["_id"], sign: keys.at(-1)!.sign });
  return (one, other) => {
    for (const { path, sign } of keys) {
      const order = compare(valueAt(one, path), valueAt(other, path));
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

const valueAt = (document: Doc, path: readonly string[]) =>
  path.reduce((value, name) => value?.[name], document) ?? null;

function compare(one: Doc, other: Doc): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (typeof one !== "string" || typeof other !== "string") return one < other ? -1 : 1;
  const [first, second] = [[...one], [...other]];
  const at = first.findIndex((letter, i) => letter !== second[i]);
  if (at === -1 || second[at] === undefined) return first.length - second.length;
  return first[at]!.codePointAt(0)! - second[at]!.codePointAt(0)!;
}
