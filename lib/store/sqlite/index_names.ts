import type { Definition, Index } from "../port.ts";

/** Returns the name of an index, which spells out its keys: equal names mean equal keys. */
export function indexName(definition: Definition, { keys, unique }: Index): string {
  const columns = keys.map(({ path, descending }) => (descending ? "-" : "") + foldedName(path));
  return `i_${definition.name} ${unique ? "unique" : "list"} (${columns.join(",")})`;
}

/** Encodes upper-case letters, because SQLite ignores letter case in names. */
export const foldedName = (path: string): string =>
  path.replaceAll(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`);

/** Returns the path of a unique index from its name; several keys are joined by commas. */
export function uniquePath(indexName: string): string | null {
  const paths = /\(([^()]+)\)$/.exec(indexName)?.[1];
  return paths === undefined ? null : originalName(paths.replaceAll(/(?<=^|,)-/g, ""));
}

/** Decodes the result of {@linkcode foldedName}. */
export const originalName = (text: string): string =>
  text.replaceAll(/\^([a-z])/g, (_match, letter) => letter.toUpperCase());
