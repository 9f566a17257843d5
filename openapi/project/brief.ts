/** Returns a part of a document without descriptions or examples, except as property names. */
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
  return without(part, false) as T; // Descriptions and examples are optional.
}
