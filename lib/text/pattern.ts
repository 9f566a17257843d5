import { RE2JS, RE2JSSyntaxException } from "re2js";
import { PATTERN_SIZE_MAX, REGEX_LENGTH_MAX } from "../limits.ts";
import { quoted } from "./input_text.ts";

/**
 * Returns why a pattern is rejected, or null. RE2 and PCRE give accepted patterns the same meaning.
 * PCRE backtracks: because groups cannot be repeated, it does not take exponential time, but each
 * open repeat may multiply its steps by the length of the text.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern === "") return "is empty";
  if (pattern.length > REGEX_LENGTH_MAX) return `is longer than ${REGEX_LENGTH_MAX} characters`;
  if (/\0/.test(pattern) || !pattern.isWellFormed()) return "contains a character no text can have";
  const structure = structureProblem(pattern);
  if (structure !== null) return structure;
  if (countFoldedCharacters(pattern) > FOLDED_MAX) {
    return `has ranges of more than ${FOLDED_MAX} characters within [ ]: write . or [^ ] instead`;
  }
  try {
    const size = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize();
    return size > PATTERN_SIZE_MAX
      ? "is too complex: repeat less often, or fewer characters"
      : null;
  } catch (error) {
    const isSyntax = error instanceof RE2JSSyntaxException;
    return `does not compile: ${isSyntax ? syntaxFault(error) : (error as Error).message}`;
  }
}

/** Patterns that clients send cannot begin with this. */
const CASE_FLAG = /^\(\?i\)/;

/** Returns RE2's message with the part of the pattern as the client sent it. */
function syntaxFault({ error: why, input }: RE2JSSyntaxException): string {
  return input ? `${why} in ${quoted(input.replace(CASE_FLAG, ""))}` : why;
}

/** Maximum number of characters in the classes of a pattern, because RE2 folds the case of each. */
const FOLDED_MAX = 70_000;
/** Range of the letters that have another case. RE2 does not fold classes that cover all of it. */
const FOLDED = { from: 0x41, to: 0x1e943 };

function countFoldedCharacters(pattern: string): number {
  let count = 0;
  for (const [, members] of pattern.matchAll(/\\.|\[\^?((?:\\.|[^\]\\])*)\]/gsu)) {
    for (const [, from, to] of (members ?? "").matchAll(/(\\.|[^\\])-(\\.|[^\\])/gsu)) {
      const [first, last] = [codePointOf(from!), codePointOf(to!)];
      if (first <= FOLDED.from && last >= FOLDED.to) continue;
      count += Math.max(0, Math.min(last, FOLDED.to) - Math.max(first, FOLDED.from) + 1);
    }
  }
  return count;
}

/** The letter's code point is good enough for an escape such as `\n`, because both are small. */
const codePointOf = (member: string): number => member.replace("\\", "").codePointAt(0) ?? 0x5c;

const SHARED_ESCAPES = /^[dDwWsSbBtnrf]$|^[^A-Za-z0-9\s]$/;
const REPEATS_MAX = 100;

function structureProblem(pattern: string): string | null {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "\\") {
      const escaped = pattern[++i] ?? "";
      if (!SHARED_ESCAPES.test(escaped)) {
        return `has the escape \\${escaped}, which is not supported`;
      }
    } else if (inClass) {
      if (char === "]") inClass = false;
      else if (char === "[") return "has a [ within [ ]: write \\[";
    } else if (char === "[") {
      inClass = true;
      if (pattern[i + 1] === "^") i++;
      if (pattern[i + 1] === "]") return "has a ] as the first character within [ ]: write \\]";
    } else if (char === "(" && pattern[i + 1] === "?" && pattern[i + 2] !== ":") {
      return "has a group that begins with (?: only (?: is supported";
    } else if (char === ")" && /[*+?{]/.test(pattern[i + 1] ?? "")) {
      return "repeats a group: repeat single characters or [ ] only";
    } else if (char === "{") {
      const problem = repeatProblem(pattern.slice(i));
      if (problem !== null) return problem;
    } else if (/[*+?]/.test(char) && pattern[i + 1] === "+") {
      return "has a possessive repeat, which is not supported";
    }
  }
  return null;
}

function repeatProblem(rest: string): string | null {
  const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (counts === null) return "has a { that is not a repeat: write \\{";
  const largest = Math.max(Number(counts[1]), Number(counts[2] || 0));
  return largest > REPEATS_MAX ? `repeats more than ${REPEATS_MAX} times` : null;
}
