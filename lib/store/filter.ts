import type { Comparison, Filter, Scalar } from "./port.ts";

export const ALL: Filter = { op: "and", of: [] };

/** Joins filters by `and`. Flattens nested ones and returns a single filter unchanged. */
export function and(...of: readonly Filter[]): Filter {
  const flat: Filter[] = [];
  for (const one of of) {
    if (one.op === "and") flat.push(...one.of);
    else flat.push(one);
  }
  return flat.length === 1 ? flat[0]! : { op: "and", of: flat };
}

export const or = (...of: readonly Filter[]): Filter => of.length === 1 ? of[0]! : { op: "or", of };

export const not = (of: Filter): Filter => ({ op: "not", of });

export const compare = (path: string, op: Comparison, value: Scalar): Filter => ({
  op,
  path,
  value,
});

export const eq = (path: string, value: Scalar): Filter => compare(path, "eq", value);

export const within = (path: string, values: readonly Scalar[]): Filter => ({
  op: "in",
  path,
  values,
});
