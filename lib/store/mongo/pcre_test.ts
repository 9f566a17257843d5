import assert from "node:assert/strict";
import { patternProblem } from "../../text/pattern.ts";
import { pcre } from "./pcre.ts";

const SPELT: Readonly<Record<string, string>> = {
  "\\d": "[0-9]",
  "\\D": "[^0-9]",
  "\\w": "[_0-9A-Za-z]",
  "\\W": "[^_0-9A-Za-z]",
  "\\s": "[ \\t-\\n\\f-\\r]",
  "\\S": "[^ \\t-\\n\\f-\\r]",
  "[\\d]": "[0-9]",
  "[\\D]": "[\\x00-/:-\\x{10ffff}]",
  "[\\w]": "[_0-9A-Za-z]",
  "[\\W]": "[\\x00-/:-@\\[-\\^`{-\\x{17e}\\x{180}-\\x{2129}\\x{212b}-\\x{10ffff}]",
  "[\\s]": "[ \\t-\\n\\f-\\r]",
  "[\\S]": "[\\x00-\\x08\\x0b\\x0e-\\x1f!-\\x{10ffff}]",
  "[^\\d]\\d": "[^0-9][0-9]",
  "^a$": "^a\\z",
  "[$^]$": "[$^]\\z",
  "\\$\\^": "\\$\\^",
  "[\\]$]$": "[\\]$]\\z",
  "\\[$]": "\\[\\z]",
  "\\\\$\\\\d": "\\\\\\z\\\\d",
  "\\ba\\B": "\\ba\\B",
  "\\t\\n\\r\\f": "\\t\\n\\r\\f",
  "[\\w-.]": "[_0-9A-Za-z-\\.]",
  "[.:=].:=": "[\\.\\:\\=].:=",
  "^*$+": "(?:^)*(?:\\z)+",
  "\\b?\\B{2}": "(?:\\b)?(?:\\B){2}",
  "\\\\b*": "\\\\b*",
  "[$^]*": "[$^]*",
  "(?:a|^)b*?": "(?:a|^)b*?",
  "é😀{2}": "é😀{2}",
};

Deno.test("pcre converts escapes and assertions to PCRE with the meaning of RE2", () => {
  for (const [pattern, spelt] of Object.entries(SPELT)) {
    assert.equal(patternProblem(pattern), null, pattern);
    assert.equal(pcre(pattern), spelt, pattern);
  }
});
