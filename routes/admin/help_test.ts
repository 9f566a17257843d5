import assert from "node:assert/strict";
import { COMMANDS } from "./commands.ts";
import { readCommand } from "./mod.ts";
import { OPTION_TEXTS } from "./option_texts.ts";

/** What the words print on standard output, with the exit code. */
function told(...words: string[]) {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line) => lines.push(line);
  try {
    return { code: readCommand(words), text: lines.join("\n") };
  } finally {
    console.log = log;
  }
}

Deno.test("help of all commands names each with what it does", () => {
  for (const words of [["--help"], ["-h"], ["help"]]) {
    const { code, text } = told(...words);
    assert.equal(code, 0);
    for (const [name, { summary }] of COMMANDS) {
      assert.ok(text.includes(`  ${name} `) && text.includes(summary), name);
    }
  }
});

Deno.test("help of a group names its commands and no others", () => {
  for (const words of [["project", "--help"], ["help", "project"], ["project", "help"]]) {
    const { code, text } = told(...words);
    assert.equal(code, 0);
    assert.match(text, /^ {2}project create /m);
    assert.match(text, /^ {2}project delete /m);
    assert.doesNotMatch(text, /collection create/);
  }
});

Deno.test("help of a command names each of its options, whatever else was given", () => {
  for (const [name, { options, usage }] of COMMANDS) {
    const { code, text } = told(...name.split(" "), "--project", "x", "--help");
    assert.equal(code, 0);
    assert.ok(text.startsWith(`Usage: deno task admin ${name} ${usage}`.trim()), name);
    for (const option of [...options.values, ...options.flags ?? [], "json"]) {
      const row = new RegExp(`^ {2}--${option}( \\S+)? {2,}\\S`, "m");
      assert.match(text, row, `${name} --${option}`);
      assert.doesNotMatch(text, /undefined/);
    }
  }
});

Deno.test("each text of an option is one of some command's", () => {
  const used = new Set(
    [...COMMANDS.values()].flatMap(({ options }) => [...options.values, ...options.flags ?? []]),
  );
  assert.deepEqual(Object.keys(OPTION_TEXTS).toSorted(), [...used, "json"].toSorted());
});

Deno.test("version prints Corbel's and Deno's, for people and as JSON", () => {
  assert.match(told("version").text, /^corbel \d+\.\d+\.\d+\ndeno \d+\.\d+\.\d+$/);
  const versions = JSON.parse(told("version", "--json").text);
  assert.deepEqual(Object.keys(versions), ["corbel", "deno"]);
});
