import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { findChromium, installChromium } from "./chromium.ts";

Deno.test("findChromium prefers CHROMIUM_PATH to a browser on the PATH", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  const own = `${env.HOME}/own/chrome`;
  const found = `${env.HOME}/second/chromium`;
  await put(own);
  await put(found);
  assert.equal(await findChromium(env), found);
  assert.equal(await findChromium({ ...env, CHROMIUM_PATH: own }), own);
  assert.equal(await findChromium({ ...env, CHROMIUM_PATH: "" }), found);
});

Deno.test("findChromium does not replace a missing CHROMIUM_PATH by another browser", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  await put(`${env.HOME}/first/chromium`);
  assert.equal(await findChromium({ ...env, CHROMIUM_PATH: `${env.HOME}/gone` }), null);
});

Deno.test("findChromium prefers Chromium to other browsers, and first its headless build", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  await put(`${env.HOME}/first/google-chrome`);
  await put(`${env.HOME}/second/chromium`);
  assert.equal(await findChromium(env), `${env.HOME}/second/chromium`);
  await put(`${env.HOME}/second/chromium-headless-shell`);
  assert.equal(await findChromium(env), `${env.HOME}/second/chromium-headless-shell`);
});

/** Writes an `apt-get` that records its arguments and exits with this code. */
async function aptGet(folder: string, code: number): Promise<void> {
  const path = `${folder}/first/apt-get`;
  await Deno.mkdir(`${folder}/first`, { recursive: true });
  const script = `#!/bin/sh\necho "$*" >> ${folder}/calls\necho said >&2\nexit ${code}\n`;
  await Deno.writeTextFile(path, script, { mode: 0o755 });
}

Deno.test("installChromium updates the package lists before it installs", async () => {
  await using machine = await bareMachine();
  const folder = machine.env.HOME!;
  await aptGet(folder, 0);
  const said: string[] = [];
  await installChromium(machine.env, { say: (line) => said.push(line) });
  const calls = await Deno.readTextFile(`${folder}/calls`);
  assert.equal(calls, "update -qq\ninstall -y -qq chromium-headless-shell\n");
  assert.deepEqual(said, ["Installing Debian's package chromium-headless-shell", "said", "said"]);
});

Deno.test("installChromium gives instructions if it cannot install, and tries nothing else", async () => {
  await using machine = await bareMachine();
  const folder = machine.env.HOME!;
  const install = (env = machine.env) => installChromium(env, { say: () => {} });
  await assert.rejects(install(), /no apt-get.*Install Debian's package/);
  await aptGet(folder, 100);
  await assert.rejects(install({ ...machine.env, CHROMIUM_PATH: "/gone" }), /CHROMIUM_PATH leads/);
  await assert.rejects(install(), /apt-get update -qq.*root.*Install Debian's package/);
  assert.equal(await Deno.readTextFile(`${folder}/calls`), "update -qq\n");
});
