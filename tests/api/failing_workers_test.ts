import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { serve } from "@/routes/serve.ts";
import { startWorkers } from "@/routes/workers.ts";
import { type Failure, LAST_LOG_LINE } from "../support/failing_worker.ts";
import { openTestServices } from "../support/test_services.ts";

const MODULE = new URL("../support/failing_worker.ts", import.meta.url);

const FAILURES: Partial<Record<Failure, RegExp>> = {
  "refuses": /^Worker 3 failed: no room$/,
  "throws": /^Worker 3 failed: .*thrown in a thread$/,
  "rejects": /^Worker 3 failed: .*rejected in a thread$/,
  "closes": /^Worker 3 failed: it left 6 pings unanswered$/,
  "hears nothing": /^Worker 3 failed: it left 6 pings unanswered$/,
};

for (const [failure, message] of Object.entries(FAILURES)) {
  Deno.test(`a worker that ${failure} stops the server after the other workers finish`, async () => {
    let printed = "";
    const print = (text: string) => void (printed += text);
    await using test = await openTestServices({
      env: { WORKERS: "3", PORT: String(freePort()) },
      log: createLog("info", print),
    });
    const serving = serve(test.services, {
      task: "start",
      environment: { HOST: failure },
      print,
      module: MODULE,
      // A healthy thread of a busy machine answers at least one of six pings.
      pingEveryMs: 100,
    });
    await assert.rejects(serving, { message });
    test.services.log.flush();
    assert.ok(printed.includes(LAST_LOG_LINE), printed);
    if (failure === "refuses") return assert.doesNotMatch(printed, /Listening/);
    const lines = printed.replace(LAST_LOG_LINE, "").trimEnd().split("\n");
    const [listening, failed, stopping] = lines.map((line) => JSON.parse(line)).slice(-3);
    assert.equal(listening.message, "Listening");
    assert.deepEqual([failed.level, stopping.message], ["error", "Stopping"]);
    assert.match(failed.message, message);
  });
}

Deno.test("stop does not wait endlessly for a worker that never stops", async () => {
  let printed = "";
  await using test = await openTestServices({ env: { WORKERS: "3", PORT: String(freePort()) } });
  const server = await startWorkers(test.services, {
    connections: 100,
    environment: { HOST: "never stops" },
    print: (text) => void (printed += text),
    module: MODULE,
  });
  await server.stop();
  assert.equal(printed, LAST_LOG_LINE);
});

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
