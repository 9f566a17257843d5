import { NAME_LENGTH_MAX, PATH_LENGTH_MAX, PATH_LEVELS_MAX } from "../limits.ts";
import { quoted } from "../text/input_text.ts";

export const DECLARED_NAME = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${NAME_LENGTH_MAX - 1}}$`);

export const SERVER_FIELDS = ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt"] as const;

export const isServerField = (name: string): boolean =>
  (SERVER_FIELDS as readonly string[]).includes(name);

const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** Whether JavaScript gives this name a meaning in every object. */
export const isReserved = (name: string): boolean => RESERVED.has(name);

/** Matches nearly all names, so that the slower checks are rarely needed. */
const PLAIN = /^[\w-]+$/;
const INVISIBLE = /[\p{Cc}\p{Cf}]/u;

/** Stores read dots as paths and dollars as operators; invisible characters mislead people. */
export function nameProblem(name: string): string | null {
  if (PLAIN.test(name) && !isReserved(name)) return null;
  if (name === "") return "a name is empty";
  if (name.startsWith("$")) return `the name ${quoted(name)} begins with $`;
  if (name.includes(".")) return `the name ${quoted(name)} contains a dot`;
  if (isReserved(name)) return `the name ${quoted(name)} is reserved: JavaScript uses it`;
  if (name.trim() !== name) return `the name ${quoted(name)} begins or ends in white space`;
  if (INVISIBLE.test(name) || !name.isWellFormed()) {
    return `the name ${quoted(name)} contains an invisible or broken character`;
  }
  return null;
}

/** Checks a path that a client sent before any other use, because it may be arbitrarily long. */
export function pathProblem(path: string): string | null {
  const problem = pathSizeProblem(path);
  if (problem !== null) return problem;
  for (const name of path.split(".")) {
    const problem = nameProblem(name);
    if (problem !== null) return problem;
  }
  return null;
}

/** Checks the length first, so that it is cheap. */
export function pathSizeProblem(path: string): string | null {
  if (path.length > PATH_LENGTH_MAX) return `it is longer than ${PATH_LENGTH_MAX} characters`;
  let levels = 1;
  for (let i = path.indexOf("."); i !== -1; i = path.indexOf(".", i + 1)) levels++;
  return levels > PATH_LEVELS_MAX ? `it has more than ${PATH_LEVELS_MAX} levels` : null;
}
