/** A text that uses a word of the list for a reason. */
export interface WordingException {
  /** A part of the text, which every text with it may use. */
  readonly text: string;
  readonly reason: string;
}

export const EXCEPTIONS: readonly WordingException[] = [
  { text: "whole-json", reason: "a CSS class" },
  {
    text: "code of nobody",
    reason: "The id of a stored record is the hash of this text.",
  },
  {
    text: "anonymous anthony anybody anyone",
    reason: "A list of common passwords.",
  },
  { text: "tell webhooks", reason: "the id of a stored record is computed from it" },
  { text: "stand-in", reason: "the term for a program that replaces MongoDB in tests" },
];

/** Paths that are not checked: texts in another language, and the examples of the check itself. */
export const UNCHECKED: readonly string[] = [
  "routes/dashboard/texts/de/",
  "tests/house/wording/",
  "tests/house/wording_test.ts",
];
