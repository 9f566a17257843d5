/**
 * Returns a part of a document without some of what only people read, such as examples. Members that
 * a schema declares by such a name stay.
 */
export function inBrief<T>(part: T, left: readonly ("example" | "description")[]): T {
  const without = (value: unknown, areNames: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => without(one, false));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => areNames || !left.some((one) => one === key))
        .map(([key, inner]) => [key, without(inner, key === "properties" && !areNames)]),
    );
  };
  return without(part, false) as T; // What it leaves out may be missing.
}
