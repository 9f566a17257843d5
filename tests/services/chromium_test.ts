import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { findChromium } from "./chromium.ts";

Deno.test("a Chromium that is given goes before one on the PATH", async () => {
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

Deno.test("a given path that leads nowhere is not made up for by another browser", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  await put(`${env.HOME}/first/chromium`);
  assert.equal(await findChromium({ ...env, CHROMIUM_PATH: `${env.HOME}/gone` }), null);
});

Deno.test("of several browsers on the PATH Chromium itself is taken", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  await put(`${env.HOME}/first/google-chrome`);
  await put(`${env.HOME}/second/chromium`);
  assert.equal(await findChromium(env), `${env.HOME}/second/chromium`);
});
