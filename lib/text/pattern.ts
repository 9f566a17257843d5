import { RE2JS, RE2JSSyntaxException } from "re2js";
import { PATTERN_SIZE_MAX, REGEX_LENGTH_MAX } from "../limits.ts";
import { shown } from "./input_text.ts";

/**
 * Why a pattern is refused, or null. What passes is read alike by RE2 and PCRE: escapes and group
 * openings are the ones they share, no group is repeated, and no pattern is larger than
 * {@linkcode PATTERN_SIZE_MAX}. RE2 takes linear time. PCRE, which
 * backtracks, takes no exponential one, but each open repeat may multiply its steps by the length
 * of the text.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern === "") return "is empty";
  if (pattern.length > REGEX_LENGTH_MAX) return `is longer than ${REGEX_LENGTH_MAX} characters`;
  if (/\0/.test(pattern) || !pattern.isWellFormed()) return "contains a character no text can have";
  const structure = structureProblem(pattern);
  if (structure !== null) return structure;
  if (foldedCharacters(pattern) > FOLDED_MAX) {
    return `has ranges of more than ${FOLDED_MAX} characters within [ ]: write . or [^ ] instead`;
  }
  try {
    const size = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize();
    return size > PATTERN_SIZE_MAX
      ? "asks for too much: repeat less often, or fewer characters"
      : null;
  } catch (error) {
    const isSyntax = error instanceof RE2JSSyntaxException;
    return `does not compile: ${isSyntax ? syntaxFault(error) : (error as Error).message}`;
  }
}

/** How RE2 is asked to ignore letter case. No pattern that is sent may begin like this. */
const FLAG = /^\(\?i\)/;

/** What RE2 says, with the part of the pattern that it is about as it was sent. */
function syntaxFault({ error: why, input }: RE2JSSyntaxException): string {
  return input ? `${why} in ${shown(input.replace(FLAG, ""))}` : why;
}

/** Characters of the classes of a pattern: RE2 looks for the other case of each, 40 ns long. */
const FOLDED_MAX = 70_000;
/** Where letters have another case; a range over all of these RE2 takes as it is. */
const FOLDED = { from: 0x41, to: 0x1e943 };

function foldedCharacters(pattern: string): number {
  let count = 0;
  for (const [, members] of pattern.matchAll(/\\.|\[\^?((?:\\.|[^\]\\])*)\]/gsu)) {
    for (const [, from, to] of (members ?? "").matchAll(/(\\.|[^\\])-(\\.|[^\\])/gsu)) {
      const [first, last] = [codeOf(from!), codeOf(to!)];
      if (first <= FOLDED.from && last >= FOLDED.to) continue;
      count += Math.max(0, Math.min(last, FOLDED.to) - Math.max(first, FOLDED.from) + 1);
    }
  }
  return count;
}

/** Of an escaped letter that of the letter: what it stands for is small. */
const codeOf = (member: string): number => member.replace("\\", "").codePointAt(0) ?? 0x5c;

const SHARED_ESCAPES = /^[dDwWsSbBtnrf]$|^[^A-Za-z0-9\s]$/;
const REPEATS_MAX = 100;

function structureProblem(pattern: string): string | null {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "\\") {
      const escaped = pattern[++i] ?? "";
      if (!SHARED_ESCAPES.test(escaped)) return `has the escape \\${escaped}, which is not served`;
    } else if (inClass) {
      if (char === "]") inClass = false;
      else if (char === "[") return "has a [ within [ ]: write \\[";
    } else if (char === "[") {
      inClass = true;
      if (pattern[i + 1] === "^") i++;
      if (pattern[i + 1] === "]") return "has a ] as the first character within [ ]: write \\]";
    } else if (char === "(" && pattern[i + 1] === "?" && pattern[i + 2] !== ":") {
      return "has a group that begins with (?: only (?: is served";
    } else if (char === ")" && /[*+?{]/.test(pattern[i + 1] ?? "")) {
      return "repeats a group: repeat single characters or [ ] only";
    } else if (char === "{") {
      const problem = repeatProblem(pattern.slice(i));
      if (problem !== null) return problem;
    } else if (/[*+?]/.test(char) && pattern[i + 1] === "+") {
      return "has a possessive repeat, which is not served";
    }
  }
  return null;
}

function repeatProblem(rest: string): string | null {
  const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (counts === null) return "has a { that is no repeat: write \\{";
  const largest = Math.max(Number(counts[1]), Number(counts[2] || 0));
  return largest > REPEATS_MAX ? `repeats more than ${REPEATS_MAX} times` : null;
}
