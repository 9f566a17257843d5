import { parseJson } from "../store/json_text.ts";

/** Of a string's JSON text what needs nothing behind it: no half of an escape, none of a pair. */
const WHOLE = new RegExp(
  "^(?:[^\\\\\ud800-\udbff]|[\ud800-\udbff][\udc00-\udfff]|\\\\[^u]|" +
    "\\\\u(?![dD][89abAB])[0-9a-fA-F]{4}|" +
    "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})*",
);

/**
 * Follows one text member of a JSON object while the object is still being written: takes its JSON
 * text piece by piece, and tells what has come of the member. Of text that is no such object it
 * tells nothing.
 */
export function followMember(name: string, tell: (text: string) => void): (piece: string) => void {
  let depth = 0;
  /** The text of the string that is being read, without its quotes; null between strings. */
  let string: string | null = null;
  let escaped = false;
  let expectsName = true;
  let isMember = false;
  let done = false;

  /** Tells what is whole: an escape may still be under way. */
  function flush(isEnd: boolean): void {
    if (string === null || string === "") return;
    const whole = isEnd ? string : WHOLE.exec(string)![0];
    string = string.slice(whole.length);
    if (whole === "") return;
    try {
      tell(parseJson(`"${whole}"`) as string);
    } catch {
      done = true; // It is no JSON; who reads the whole of it will say so.
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
