import assert from "node:assert/strict";
import { commandEnvironment, loadConfig } from "./config.ts";

Deno.test("REGISTRATION is open, invited or closed, and by default open in dev only", () => {
  for (const rule of ["open", "invited", "closed"] as const) {
    assert.equal(loadConfig({ REGISTRATION: rule }).registration, rule);
  }
  assert.throws(
    () => loadConfig({ REGISTRATION: "no" }),
    /REGISTRATION must be open or invited or closed, got "no"/,
  );
  const ruleOf = (command: string, value?: string) =>
    loadConfig(commandEnvironment(command, (name) => name === "REGISTRATION" ? value : undefined))
      .registration;
  for (const missing of [undefined, ""]) {
    assert.equal(ruleOf("dev", missing), "open");
    for (const command of ["start", "admin"]) assert.equal(ruleOf(command, missing), "first");
  }
  assert.equal(ruleOf("dev", "closed"), "closed");
});
