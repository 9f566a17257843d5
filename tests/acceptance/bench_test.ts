import assert from "node:assert/strict";
import { database } from "../support/test_store.ts";

const QUESTIONS = ["by_id", "in_list", "patch"];
const ROWS = database === "mongodb" ? QUESTIONS : [...QUESTIONS, "start_ms"];

Deno.test("the bench measures its rows next to a bare program with equal responses", async () => {
  const engine = database === "mongodb" ? ["--mongodb"] : [];
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "bench", "--short", "--json", ...engine, ...ROWS],
    stderr: "null",
  }).output();
  const report = JSON.parse(new TextDecoder().decode(stdout));
  for (const name of ROWS) assert.ok(report[name] > 0, `${name}: ${report[name]}`);
  assert.deepEqual(Object.keys(report.rows), ROWS);
  assert.equal(success, true);
});
