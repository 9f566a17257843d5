import assert from "node:assert/strict";
import { createLog, silentLog } from "./log.ts";

/** A log and what it has handed over so far. */
function remembering(least: "debug" | "info" | "warn" | "error" = "info") {
  const handed: string[] = [];
  return { log: createLog(least, (text) => void handed.push(text)), handed };
}

const messagesIn = (handed: readonly string[]) =>
  handed.join("").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).message);

Deno.test("a line is one JSON object with time, level, message and fields", () => {
  const { log, handed } = remembering();
  log.write("info", "request", { status: 200, ms: 1.5, problem: null, cached: false });
  log.flush();
  const { time, ...rest } = JSON.parse(handed[0]!);
  assert.match(time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  assert.deepEqual(rest, {
    level: "info",
    message: "request",
    status: 200,
    ms: 1.5,
    problem: null,
    cached: false,
  });
  assert.ok(handed[0]!.endsWith("}\n"));
});

Deno.test("lines that nobody takes fail nothing, and are told of when somebody does", () => {
  const handed: string[] = [];
  let isFull = true;
  const log = createLog("info", (text) => {
    if (isFull) throw new Error("No space left on device");
    handed.push(text);
  });
  log.write("error", "one");
  log.write("info", "two");
  log.write("error", "three");
  isFull = false;
  log.write("error", "four");
  log.write("error", "five");
  assert.deepEqual(messagesIn(handed), ["Lines of the log were lost", "four", "five"]);
  assert.equal(JSON.parse(handed[0]!.trim().split("\n")[0]!).lost, 3);
  assert.ok(handed[0]!.startsWith("\n"), "behind a line that may have been cut off");
});

Deno.test("of a request the same is told in every line, at the level of information", () => {
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
  const { log, handed } = remembering();
  log.request(line);
  log.request(unknown);
  log.flush();
  const told = handed[0]!.trimEnd().split("\n").map((text) => JSON.parse(text));
  assert.deepEqual(told.map(({ time: _time, ...rest }) => rest), [
    { level: "info", message: "request", ...line },
    { level: "info", message: "request", ...unknown },
  ]);
  const quiet = remembering("warn");
  quiet.log.request(line);
  quiet.log.flush();
  assert.deepEqual(quiet.handed, []);
});

Deno.test("whatever a field holds, a line stays one line", () => {
  const { log, handed } = remembering();
  log.write("info", "a\nb", { path: 'x\r\n{"level":"error"}\u2028"' });
  log.flush();
  assert.equal(handed.join("").split("\n").length, 2);
  assert.equal(JSON.parse(handed[0]!).path, 'x\r\n{"level":"error"}\u2028"');
});

Deno.test("fields that are undefined are left out", () => {
  const { log, handed } = remembering();
  log.write("info", "a", { b: undefined });
  log.flush();
  assert.deepEqual(Object.keys(JSON.parse(handed[0]!)), ["time", "level", "message"]);
});

Deno.test("lines below the level are not written", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  for (const [at, least] of levels.entries()) {
    const { log, handed } = remembering(least);
    for (const level of levels) log.write(level, level);
    log.flush();
    assert.deepEqual(messagesIn(handed), levels.slice(at));
  }
});

Deno.test("lines are collected and handed over together, soon", async () => {
  const soon = Promise.withResolvers<string>();
  const log = createLog("info", (text) => soon.resolve(text));
  log.write("info", "one");
  log.write("warn", "two");
  assert.deepEqual(messagesIn([await soon.promise]), ["one", "two"]);
});

Deno.test("lines that follow do not put off those that wait", () => {
  const timers: { readonly work: () => void; readonly ms: number }[] = [];
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    timers.push({ work, ms });
    return -1;
  }) as unknown as typeof setTimeout; // Of its forms only this one is used.
  const { log, handed } = remembering();
  try {
    for (let n = 0; n < 3; n++) log.write("info", `${n}`);
  } finally {
    globalThis.setTimeout = original;
  }
  assert.deepEqual(timers.map(({ ms }) => ms), [100]);
  timers[0]!.work();
  assert.deepEqual(messagesIn(handed), ["0", "1", "2"]);
});

Deno.test("nothing is handed over before its time", () => {
  const { log, handed } = remembering();
  log.write("info", "one");
  log.write("warn", "two");
  assert.deepEqual(handed, []);
  log.flush();
  assert.deepEqual(messagesIn(handed), ["one", "two"]);
});

Deno.test("an error goes out at once, behind what was waiting", () => {
  const { log, handed } = remembering();
  log.write("info", "before");
  log.write("error", "failed");
  assert.equal(handed.length, 1);
  assert.deepEqual(messagesIn(handed), ["before", "failed"]);
});

Deno.test("very much at once is handed over before it grows further", () => {
  const { log, handed } = remembering();
  for (let n = 0; n < 100; n++) log.write("info", "x".repeat(1000));
  assert.ok(handed.length >= 1);
  assert.ok(handed[0]!.length < 70_000);
  log.flush();
  assert.equal(messagesIn(handed).length, 100);
});

Deno.test("disposing hands over what is waiting, once", () => {
  const { log, handed } = remembering();
  {
    using disposed = log;
    disposed.write("info", "last");
  }
  log.flush();
  log[Symbol.dispose]();
  assert.deepEqual(messagesIn(handed), ["last"]);
  assert.equal(handed.length, 1);
});

Deno.test("a log goes on after it was flushed", async () => {
  const soon = Promise.withResolvers<void>();
  const handed: string[] = [];
  const log = createLog("info", (text) => {
    handed.push(text);
    if (handed.length === 2) soon.resolve();
  });
  log.write("info", "one");
  log.flush();
  log.write("info", "two");
  await soon.promise;
  assert.deepEqual(messagesIn(handed), ["one", "two"]);
});

Deno.test("the silent log says nothing and keeps no timer", () => {
  silentLog.write("error", "nothing");
  silentLog.flush();
  assert.equal(silentLog[Symbol.dispose](), undefined);
});
