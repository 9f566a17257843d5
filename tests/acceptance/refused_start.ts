import assert from "node:assert/strict";
import { acceptsConnections, freePort, run, type Settings } from "./server.ts";
import { until } from "./until.ts";

export async function refusedStart(settings: Settings): Promise<string> {
  const port = freePort();
  const running = await run("start", [], { settings: { PORT: String(port), ...settings } });
  let listened = false;
  try {
    await until("the refused process ends", async () => {
      listened ||= await acceptsConnections(port);
      return running.hasEnded();
    });
  } finally {
    if (!running.hasEnded()) running.signal("SIGKILL");
    await running.ended;
  }
  const { code, signal, stdout, stderr } = await running.ended;
  assert.ok(!listened, "a refused start must not listen");
  assert.equal(signal, null, stderr);
  assert.notEqual(code, 0, stderr);
  assert.doesNotMatch(stdout, /Listening/);
  assert.doesNotMatch(stderr, /^\s+at /m, "a refusal is a message without a stack trace");
  assert.doesNotMatch(stderr, /uncaught/i);
  return stderr;
}
