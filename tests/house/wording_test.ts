import assert from "node:assert/strict";
import plugin from "./wording/plugin.ts";
import { EXCEPTIONS } from "./wording/exceptions.ts";
import { committedFiles, mustRead } from "./files.ts";

const findingsOf = (source: string): string[] =>
  Deno.lint.runPlugin(plugin, "example.ts", source).map(({ message }) => message);

Deno.test("the word list covers comments, texts, templates, JSX and names", () => {
  for (
    const source of [
      "// Nobody waits for it.",
      "/** The file that stands first. */",
      'const text = "Somebody was told";',
      "const text = `Wait anew, ${1}`;",
      "const toldAt = 1;",
      "const { a: wholeText } = { a: 1 };",
      "function f(teller: string) {}",
      "interface A { readonly besideName: string }",
      "class TellsAll {}",
    ]
  ) assert.equal(findingsOf(source).length > 0, true, source);
});

Deno.test("code spans, foreign words and names of the field pass the word list", () => {
  for (
    const source of [
      "/** Returns `told`. */",
      "// A whole number of bytes; there is no other, and it is no longer used.",
      'const text = "standard understanding";',
      "const wholesale = 1;",
      'const word = "told";',
    ]
  ) assert.deepEqual(findingsOf(source), [], source);
});

Deno.test("a doc comment is a sentence or noun phrase of its own, with the unit of a number", () => {
  const refused = [
    "/** lower case */ const a = 1;",
    "/** What is left. */ const a = 1;",
    "/** The same for others. */ const a = 1;",
    "/** Enough for all. */ export const LIMIT = 4;",
  ];
  for (const source of refused) assert.equal(findingsOf(source).length, 1, source);
  const taken = [
    "/** Milliseconds until a retry. */ export const PAUSE = 4;",
    "/** A list. */ const a = [];",
  ];
  for (const source of taken) assert.deepEqual(findingsOf(source), [], source);
});

Deno.test("functions and types are not named by a participle alone, and test titles are short", () => {
  assert.equal(findingsOf("function refuse() {}").length, 1);
  assert.equal(findingsOf("const textOf = () => 1;").length, 1);
  assert.equal(findingsOf("interface Refused {}").length, 1);
  assert.deepEqual(findingsOf("const made = 1;"), []);
  assert.equal(findingsOf(`Deno.test("${"a".repeat(91)}", () => {});`).length, 1);
  assert.deepEqual(findingsOf(`Deno.test("${"a".repeat(90)}", () => {});`), []);
});

Deno.test("every exception to the word list is used and has a reason", async () => {
  const texts = await Promise.all(
    (await committedFiles()).filter((path) => /\.tsx?$/.test(path) && !path.includes("/wording/"))
      .map(mustRead),
  );
  const sources = texts.join("\n").replaceAll(/\n\s*(?:\*|\/\/)? ?/g, " ");
  for (const { text, reason } of EXCEPTIONS) {
    assert.ok(reason.length > 10, text);
    assert.ok(sources.includes(text), `no source has ${text}`);
  }
});
