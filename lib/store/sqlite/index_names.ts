import type { Definition, Index } from "../port.ts";

/** Spells out what the index is for; the same name always means the same keys. */
export function indexName(definition: Definition, { keys, unique }: Index): string {
  const columns = keys.map(({ path, descending }) => (descending ? "-" : "") + inOneCase(path));
  return `i_${definition.name} ${unique ? "unique" : "list"} (${columns.join(",")})`;
}

/** SQLite takes names that differ only in case for the same; fields are not. */
export const inOneCase = (path: string): string =>
  path.replaceAll(/[A-Z]/g, (letter) => `^${letter.toLowerCase()}`);

/** The path of a unique index, out of its name; of several keys, joined by commas. */
export function uniquePath(indexName: string): string | null {
  const paths = /\(([^()]+)\)$/.exec(indexName)?.[1];
  return paths === undefined ? null : inBothCases(paths.replaceAll(/(?<=^|,)-/g, ""));
}

/** What {@linkcode inOneCase} was made of. */
export const inBothCases = (text: string): string =>
  text.replaceAll(/\^([a-z])/g, (_match, letter) => letter.toUpperCase());
