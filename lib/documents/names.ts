import { NAME_LENGTH_MAX, PATH_LENGTH_MAX, PATH_LEVELS_MAX } from "../limits.ts";
import { shown } from "../text/input_text.ts";

/** What collections and declared fields may be called. */
export const DECLARED_NAME = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${NAME_LENGTH_MAX - 1}}$`);

/** Set by the server on every document. */
export const SERVER_FIELDS = ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt"] as const;

export const isServerField = (name: string): boolean =>
  (SERVER_FIELDS as readonly string[]).includes(name);

const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** Whether every object of JavaScript has something by this name, so that no document can. */
export const isReserved = (name: string): boolean => RESERVED.has(name);

/** As nearly all are, which are sooner known to be good than looked through for what is not. */
const PLAIN = /^[\w-]+$/;
const INVISIBLE = /[\p{Cc}\p{Cf}]/u;

/**
 * Why a name cannot be a member's name at any depth of a document, or null if it can. Dots and
 * dollars would be paths and operators to a store, the rest would be traps to people.
 */
export function nameProblem(name: string): string | null {
  if (PLAIN.test(name) && !isReserved(name)) return null;
  if (name === "") return "a name is empty";
  if (name.startsWith("$")) return `the name ${shown(name)} begins with $`;
  if (name.includes(".")) return `the name ${shown(name)} contains a dot`;
  if (isReserved(name)) return `the name ${shown(name)} is reserved: JavaScript has a use for it`;
  if (name.trim() !== name) return `the name ${shown(name)} begins or ends in white space`;
  if (INVISIBLE.test(name) || !name.isWellFormed()) {
    return `the name ${shown(name)} contains an invisible or broken character`;
  }
  return null;
}

/**
 * The same for a dotted path. Whoever takes a path from outside asks this before anything else looks
 * at it: a longer one is refused unread.
 */
export function pathProblem(path: string): string | null {
  const problem = pathSizeProblem(path);
  if (problem !== null) return problem;
  for (const name of path.split(".")) {
    const problem = nameProblem(name);
    if (problem !== null) return problem;
  }
  return null;
}

/** Why a path is not even read, or null if it is. Costs the same whatever its length. */
export function pathSizeProblem(path: string): string | null {
  if (path.length > PATH_LENGTH_MAX) return `it is longer than ${PATH_LENGTH_MAX} characters`;
  let levels = 1;
  for (let i = path.indexOf("."); i !== -1; i = path.indexOf(".", i + 1)) levels++;
  return levels > PATH_LEVELS_MAX ? `it has more than ${PATH_LEVELS_MAX} levels` : null;
}
