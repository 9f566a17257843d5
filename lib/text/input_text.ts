/** Returns why a text cannot be stored, or null if it can. */
export function textProblem(text: string): string | null {
  if (text.includes("\0")) return "contains the character U+0000";
  return text.isWellFormed() ? null : "contains half of a surrogate pair";
}

const QUOTED_MAX = 60;

/** Quotes and truncates a name that a client has sent, for use in a message. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > QUOTED_MAX ? name.slice(0, QUOTED_MAX) + "…" : name);
}
