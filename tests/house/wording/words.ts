/**
 * Words that Corbel's code and texts do not use, because they are literary or say less than the
 * field's own terms, each with what to write instead.
 */
export const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwho(?:m)?ever\b/i, 'name the person: "the caller", "a client that"'],
  [/\b(?:nobody|no one)\b/i, '"no caller", "no process"'],
  [/\b(?:somebody|someone|anybody)\b/i, '"a caller", "another process"'],
  [/\b(?:anew|afresh)\b/i, '"again"'],
  [/\bbeside\b/i, '"next to", "in addition to", "concurrently with"'],
  [/\b(?:tells?|told|untold)\b/i, '"reports", "notifies", "distinguishes"'],
  [/\bstands?\b/i, '"is", "is stored in"'],
  [/\bmeanwhile\b/i, '"in the meantime", "concurrently"'],
  [/\bwhole\b(?! numbers?\b)/i, '"entire", "complete", "all of"'],
  [/\bbe it\b/i, '"whether it is"'],
  [/\bso that none\b/i, "the condition, then the result"],
  [/\b(?:thereof|therein|wherein|whereof|hence|lest|thus)\b/i, "a plain sentence"],
  [
    /(?<!\bthere )\b(?:is|are|was|were) no(?:ne)?\b(?! (?:longer|more)\b)/i,
    '"is not a", "are not"',
  ],
];

/** Words that a name may not consist of or contain, as parts of `camelCase` or `SNAKE_CASE`. */
export const WORDS_IN_NAMES: ReadonlySet<string> = new Set([
  "whoever",
  "nobody",
  "somebody",
  "anew",
  "beside",
  "tell",
  "tells",
  "told",
  "teller",
  "untold",
  "stands",
  "meanwhile",
  "whole",
]);

/** Names that say nothing about what they name. */
export const EMPTY_NAMES: ReadonlySet<string> = new Set([
  "shown",
  "its",
  "mine",
  "made",
  "begun",
  "placeOf",
  "refuse",
  "textOf",
  "settled",
  "letIn",
  "Refused",
  "Entered",
  "Way",
  "Shown",
  "Outcome",
]);

/** Beginnings of a doc comment that make it lean on another sentence, or leave out its subject. */
export const LEANING =
  /^(?:The same|As|Of|Both|So|Such|What|Who|Whose|It|Its|With|Without|From|By|At|In|On|To|For|And|But|Or|Where|When)\b/;
