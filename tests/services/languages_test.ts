import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { go, LANGUAGES, node, python } from "./languages.ts";
import { leftOut } from "./mod.ts";

Deno.test("a machine without a language gets its installation command", async () => {
  await using machine = await bareMachine();
  for (const language of LANGUAGES) {
    const found = await language.find(machine.env);
    // Go's installer uses a folder that is not on the PATH.
    if (language !== go) assert.equal(found, null);
    assert.match(leftOut(language), /^Left out: .* Get it: apt-get install /);
  }
});

Deno.test("Node.js needs npm, and Python needs venv and a recent version", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  await put(`${env.HOME}/first/node`);
  assert.equal(await node.find(env), null);
  await put(`${env.HOME}/first/npm`);
  assert.equal(await node.find(env), `${env.HOME}/first/node`);
  const program = `${env.HOME}/first/python3`;
  await put(program);
  await Deno.chmod(program, 0o755);
  for (const [code, found] of [[1, null], [0, program]] as const) {
    await Deno.writeTextFile(program, `#!/bin/sh\nexit ${code}\n`);
    assert.equal(await python.find(env), found);
  }
});
