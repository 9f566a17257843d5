import assert from "node:assert/strict";
import { createLog, silentLog } from "./log.ts";

/** Returns a log with the texts that it has written. */
function openRecordingLog(least: "debug" | "info" | "warn" | "error" = "info") {
  const written: string[] = [];
  return { log: createLog(least, (text) => void written.push(text)), written };
}

const messagesIn = (written: readonly string[]) =>
  written.join("").split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line).message
  );

Deno.test("write logs one JSON object with time, level, message and fields", () => {
  const { log, written } = openRecordingLog();
  log.write("info", "request", { status: 200, ms: 1.5, problem: null, cached: false });
  log.flush();
  const { time, ...rest } = JSON.parse(written[0]!);
  assert.match(time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  assert.deepEqual(rest, {
    level: "info",
    message: "request",
    status: 200,
    ms: 1.5,
    problem: null,
    cached: false,
  });
  assert.ok(written[0]!.endsWith("}\n"));
});

Deno.test("lines that cannot be written do not throw and are reported later", () => {
  const written: string[] = [];
  let isFull = true;
  const log = createLog("info", (text) => {
    if (isFull) throw new Error("No space left on device");
    written.push(text);
  });
  log.write("error", "one");
  log.write("info", "two");
  log.write("error", "three");
  isFull = false;
  log.write("error", "four");
  log.write("error", "five");
  assert.deepEqual(messagesIn(written), ["Lines of the log were lost", "four", "five"]);
  assert.equal(JSON.parse(written[0]!.trim().split("\n")[0]!).lost, 3);
  assert.ok(written[0]!.startsWith("\n"), "the previous line may have been cut off");
});

Deno.test("request logs a fixed set of fields at the level info", () => {
  const line = {
    requestId: "a1b2c3-1",
    operation: "listDocuments",
    method: "GET",
    status: 200,
    ms: 1.25,
    project: "66f1a0c2e4b0a1b2c3d4e5f6",
    caller: "accountToken",
    account: "66f1a0c2e4b0a1b2c3d4e5f7",
    problem: null,
  };
  const unknown = {
    ...line,
    operation: null,
    project: null,
    caller: null,
    account: null,
    problem: "API_KEY_INVALID",
  };
  const { log, written } = openRecordingLog();
  log.request(line);
  log.request(unknown);
  log.flush();
  const lines = written[0]!.trimEnd().split("\n").map((text) => JSON.parse(text));
  assert.deepEqual(lines.map(({ time: _time, ...rest }) => rest), [
    { level: "info", message: "request", ...line },
    { level: "info", message: "request", ...unknown },
  ]);
  const quiet = openRecordingLog("warn");
  quiet.log.request(line);
  quiet.log.flush();
  assert.deepEqual(quiet.written, []);
});

Deno.test("write escapes line breaks in messages and fields", () => {
  const { log, written } = openRecordingLog();
  log.write("info", "a\nb", { path: 'x\r\n{"level":"error"}\u2028"' });
  log.flush();
  assert.equal(written.join("").split("\n").length, 2);
  assert.equal(JSON.parse(written[0]!).path, 'x\r\n{"level":"error"}\u2028"');
});

Deno.test("write omits undefined fields", () => {
  const { log, written } = openRecordingLog();
  log.write("info", "a", { b: undefined });
  log.flush();
  assert.deepEqual(Object.keys(JSON.parse(written[0]!)), ["time", "level", "message"]);
});

Deno.test("write ignores lines below the level", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  for (const [at, least] of levels.entries()) {
    const { log, written } = openRecordingLog(least);
    for (const level of levels) log.write(level, level);
    log.flush();
    assert.deepEqual(messagesIn(written), levels.slice(at));
  }
});

Deno.test("collected lines are written together after a short time", async () => {
  const soon = Promise.withResolvers<string>();
  const log = createLog("info", (text) => soon.resolve(text));
  log.write("info", "one");
  log.write("warn", "two");
  assert.deepEqual(messagesIn([await soon.promise]), ["one", "two"]);
});

Deno.test("later lines do not delay the write of collected ones", () => {
  const timers: { readonly work: () => void; readonly ms: number }[] = [];
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    timers.push({ work, ms });
    return -1;
  }) as unknown as typeof setTimeout; // The only overload that is used.
  const { log, written } = openRecordingLog();
  try {
    for (let n = 0; n < 3; n++) log.write("info", `${n}`);
  } finally {
    globalThis.setTimeout = original;
  }
  assert.deepEqual(timers.map(({ ms }) => ms), [100]);
  timers[0]!.work();
  assert.deepEqual(messagesIn(written), ["0", "1", "2"]);
});

Deno.test("lines are not written before their time without flush", () => {
  const { log, written } = openRecordingLog();
  log.write("info", "one");
  log.write("warn", "two");
  assert.deepEqual(written, []);
  log.flush();
  assert.deepEqual(messagesIn(written), ["one", "two"]);
});

Deno.test("an error is written immediately after the collected lines", () => {
  const { log, written } = openRecordingLog();
  log.write("info", "before");
  log.write("error", "failed");
  assert.equal(written.length, 1);
  assert.deepEqual(messagesIn(written), ["before", "failed"]);
});

Deno.test("collected lines are written when they exceed their size limit", () => {
  const { log, written } = openRecordingLog();
  for (let n = 0; n < 100; n++) log.write("info", "x".repeat(1000));
  assert.ok(written.length >= 1);
  assert.ok(written[0]!.length < 70_000);
  log.flush();
  assert.equal(messagesIn(written).length, 100);
});

Deno.test("disposing writes the collected lines once", () => {
  const { log, written } = openRecordingLog();
  {
    using disposed = log;
    disposed.write("info", "last");
  }
  log.flush();
  log[Symbol.dispose]();
  assert.deepEqual(messagesIn(written), ["last"]);
  assert.equal(written.length, 1);
});

Deno.test("a log continues to write after flush", async () => {
  const soon = Promise.withResolvers<void>();
  const written: string[] = [];
  const log = createLog("info", (text) => {
    written.push(text);
    if (written.length === 2) soon.resolve();
  });
  log.write("info", "one");
  log.flush();
  log.write("info", "two");
  await soon.promise;
  assert.deepEqual(messagesIn(written), ["one", "two"]);
});

Deno.test("silentLog writes nothing and starts no timer", () => {
  silentLog.write("error", "nothing");
  silentLog.flush();
  assert.equal(silentLog[Symbol.dispose](), undefined);
});
