/** Why a text cannot be stored, or null if it can. */
export function textProblem(text: string): string | null {
  if (text.includes("\0")) return "contains the character U+0000";
  return text.isWellFormed() ? null : "contains half of a surrogate pair";
}

const SHOWN_MAX = 60;

/** A name from outside as it may stand in a message. */
export function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN_MAX ? name.slice(0, SHOWN_MAX) + "…" : name);
}
