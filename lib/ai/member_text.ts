import { parseJson } from "../store/json_text.ts";

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
    const open = isEnd
      ? ""
      : /(?:\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?|[\ud800-\udbff])$/
        .exec(string)?.[0] ?? "";
    const whole = string.slice(0, string.length - open.length);
    string = open;
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
