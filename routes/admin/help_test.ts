import assert from "node:assert/strict";
import { COMMANDS } from "./commands.ts";
import { readCommand } from "./mod.ts";
import { OPTION_TEXTS } from "./option_texts.ts";

/** Returns the text that the command prints on standard output, and the exit code. */
function runHelp(...words: string[]) {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line) => lines.push(line);
  try {
    return { code: readCommand(words), text: lines.join("\n") };
  } finally {
    console.log = log;
  }
}

Deno.test("help lists all commands with their summaries", () => {
  for (const words of [["--help"], ["-h"], ["help"]]) {
    const { code, text } = runHelp(...words);
    assert.equal(code, 0);
    for (const [name, { summary }] of COMMANDS) {
      assert.ok(text.includes(`  ${name} `) && text.includes(summary), name);
    }
  }
});

Deno.test("help of a group lists only its commands", () => {
  for (const words of [["project", "--help"], ["help", "project"], ["project", "help"]]) {
    const { code, text } = runHelp(...words);
    assert.equal(code, 0);
    assert.match(text, /^ {2}project create /m);
    assert.match(text, /^ {2}project delete /m);
    assert.doesNotMatch(text, /collection create/);
  }
});

Deno.test("help of a command lists all of its options, whatever other options are given", () => {
  for (const [name, { options, usage }] of COMMANDS) {
    const { code, text } = runHelp(...name.split(" "), "--project", "x", "--help");
    assert.equal(code, 0);
    assert.ok(text.startsWith(`Usage: deno task admin ${name} ${usage}`.trim()), name);
    for (const option of [...options.values, ...options.flags ?? [], "json"]) {
      const row = new RegExp(`^ {2}--${option}( \\S+)? {2,}\\S`, "m");
      assert.match(text, row, `${name} --${option}`);
      assert.doesNotMatch(text, /undefined/);
    }
  }
});

Deno.test("each option text belongs to an option of a command", () => {
  const used = new Set(
    [...COMMANDS.values()].flatMap(({ options }) => [...options.values, ...options.flags ?? []]),
  );
  assert.deepEqual(Object.keys(OPTION_TEXTS).toSorted(), [...used, "json"].toSorted());
});

Deno.test("version prints the versions of Corbel and Deno, as text and as JSON", () => {
  assert.match(runHelp("version").text, /^corbel \d+\.\d+\.\d+\ndeno \d+\.\d+\.\d+$/);
  const versions = JSON.parse(runHelp("version", "--json").text);
  assert.deepEqual(Object.keys(versions), ["corbel", "deno"]);
});
