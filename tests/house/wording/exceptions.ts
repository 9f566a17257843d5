/** A phrase with a word of the list that is used for a reason. */
export interface WordingException {
  /** The phrase, which every text may contain. */
  readonly text: string;
  readonly reason: string;
}

export const EXCEPTIONS: readonly WordingException[] = [
  { text: "whole-json", reason: "a CSS class" },
  { text: "code of nobody", reason: "the id of a stored record is computed from it" },
  { text: "tell webhooks", reason: "the id of a stored record is computed from it" },
  { text: "stand-in", reason: "the term for a program that replaces MongoDB in tests" },
];

/** Paths that are not checked: texts in another language, and the examples of the check itself. */
export const UNCHECKED: readonly string[] = [
  "routes/dashboard/texts/de/",
  "tests/house/wording/",
  "tests/house/wording_test.ts",
];
