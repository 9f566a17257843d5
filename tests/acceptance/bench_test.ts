import assert from "node:assert/strict";
import { database } from "../support/test_store.ts";

const QUESTIONS = ["by_id", "in_list", "patch"];
const ROWS = database === "mongodb" ? QUESTIONS : [...QUESTIONS, "start_ms"];

Deno.test("the bench measures its rows beside a bare program that answers the same", async () => {
  const engine = database === "mongodb" ? ["--mongodb"] : [];
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "bench", "--short", "--json", ...engine, ...ROWS],
    stderr: "null",
  }).output();
  const told = JSON.parse(new TextDecoder().decode(stdout));
  for (const name of ROWS) assert.ok(told[name] > 0, `${name}: ${told[name]}`);
  assert.deepEqual(Object.keys(told.rows), ROWS);
  assert.equal(success, true);
});
