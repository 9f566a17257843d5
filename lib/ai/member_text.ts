import { parseJson } from "../store/json_text.ts";

/** The part of a string's JSON text without a half escape or surrogate pair at its end. */
const COMPLETE_TEXT = new RegExp(
  "^(?:[^\\\\\ud800-\udbff]|[\ud800-\udbff][\udc00-\udfff]|\\\\[^u]|" +
    "\\\\u(?![dD][89abAB])[0-9a-fA-F]{4}|" +
    "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})*",
);

/** Returns a function that takes the pieces of a JSON object and passes on its text member. */
export function streamMember(
  name: string,
  onText: (text: string) => void,
): (piece: string) => void {
  let depth = 0;
  /** The text of the string that is being read, without its quotes; null between strings. */
  let string: string | null = null;
  let escaped = false;
  let expectsName = true;
  let isMember = false;
  let done = false;

  /** Passes on the complete part, because an escape may be incomplete. */
  function flush(isEnd: boolean): void {
    if (string === null || string === "") return;
    const complete = isEnd ? string : COMPLETE_TEXT.exec(string)![0];
    string = string.slice(complete.length);
    if (complete === "") return;
    try {
      onText(parseJson(`"${complete}"`) as string);
    } catch {
      done = true; // Invalid JSON is reported by the parser of the complete text.
    }
  }

  function read(char: string): void {
    if (string !== null) {
      if (!escaped && char === '"') {
        if (isMember) {
          flush(true);
          done = true;
        } else if (depth === 1 && expectsName && string === name) isMember = true;
        string = null;
        return;
      }
      escaped = !escaped && char === "\\";
      string += char;
      return;
    }
    if (char === '"') string = "";
    else if (char === "{" || char === "[") {
      if (isMember) done = true;
      depth++;
    } else if (char === "}" || char === "]") depth--;
    else if (char === "," && depth === 1) {
      if (isMember) done = true;
      expectsName = true;
    } else if (char === ":" && depth === 1) expectsName = false;
  }

  return (piece) => {
    for (const char of piece) {
      if (done) return;
      read(char);
    }
    if (isMember && !done) flush(false);
  };
}
