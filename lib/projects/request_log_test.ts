import assert from "node:assert/strict";
import { withMethods } from "@/tests/support/with_methods.ts";
import { engineOver } from "@/tests/support/engine_over.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { REQUEST_LOG_MAX, REQUEST_LOG_PER_SECOND_MAX } from "../limits.ts";
import { silentLog } from "../runtime/log.ts";
import { StoreUnavailable } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import {
  createRequestLog,
  type LoggedRequestRecord,
  REQUEST_LOG,
  type RequestLog,
} from "./request_log.ts";

const [ONE, OTHER] = ["64f1a2b3c4d5e6f708192a3b", "64f1a2b3c4d5e6f708192a3c"];

const failed = (projectId: Id, n: number) => ({
  projectId,
  requestId: String(n),
  operation: "listDocuments",
  method: "GET",
  status: 404,
  code: "COLLECTION_NOT_FOUND" as const,
  caller: "secret",
  ms: 1,
});

const noteMany = (log: RequestLog, projectId: Id, count: number) => {
  for (let n = 0; n < count; n++) log.note(failed(projectId, n));
};

const storedRows = (engine: Engine, projectId: Id) =>
  Array.fromAsync(
    engine.records<LoggedRequestRecord>("control", REQUEST_LOG)
      .find({ filter: eq("projectId", projectId) }),
  );

Deno.test("requestLog stores the first requests of a second per project and counts the rest", async () => {
  await using opened = await openTestServices();
  const { engine, requestLog } = opened.services;
  noteMany(requestLog, ONE, REQUEST_LOG_PER_SECOND_MAX + 7);
  noteMany(requestLog, OTHER, 2);
  await requestLog.store();
  const rows = await storedRows(engine, ONE);
  assert.equal(rows.length, REQUEST_LOG_PER_SECOND_MAX);
  assert.deepEqual(
    rows.filter(({ leftOut }) => leftOut > 0).map((row) => [row.requestId, row.leftOut]),
    [
      [String(REQUEST_LOG_PER_SECOND_MAX - 1), 7],
    ],
  );
  assert.deepEqual((await storedRows(engine, OTHER)).map(({ leftOut }) => leftOut), [0, 0]);
});

Deno.test("requestLog adds the count of dropped requests to the project's next row", async () => {
  await using opened = await openTestServices();
  const { engine, requestLog } = opened.services;
  const others = ["d", "e", "f"].map((end) => ONE.slice(0, -1) + end);
  for (const projectId of others) noteMany(requestLog, projectId, REQUEST_LOG_PER_SECOND_MAX);
  noteMany(requestLog, OTHER, 3);
  await requestLog.store();
  assert.deepEqual(await storedRows(engine, OTHER), []);
  noteMany(requestLog, OTHER, 1);
  await requestLog.store();
  assert.deepEqual((await storedRows(engine, OTHER)).map(({ leftOut }) => leftOut), [3]);
});

Deno.test("requestLog trims a project to its newest requests and leaves other projects alone", async () => {
  await using opened = await openTestServices();
  const { engine, requestLog, newId } = opened.services;
  const { clock } = opened;
  const records = engine.records<LoggedRequestRecord>("control", REQUEST_LOG);
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const old = Array.from({ length: REQUEST_LOG_MAX + 700 }, (_, n) => ({
    _id: newId(),
    ...failed(ONE, n),
    leftOut: 0,
    createdAt: at(n),
    expiresAt: at(1e9),
  }));
  for (let from = 0; from < old.length; from += 1000) {
    await records.insertMany(old.slice(from, from + 1000));
  }
  clock.advance(60_000);
  noteMany(requestLog, OTHER, 2);
  noteMany(requestLog, ONE, 1);
  await requestLog.store();
  assert.equal(await records.count(eq("projectId", ONE)), REQUEST_LOG_MAX);
  assert.equal(await records.count(eq("projectId", OTHER)), 2);
  const [oldest] = await Array.fromAsync(records.find({
    filter: eq("projectId", ONE),
    sort: [{ path: "createdAt", descending: false }],
    limit: 1,
  }));
  assert.equal(oldest!.requestId, "701");
});

Deno.test("requestLog drops a batch that the store rejects and continues with the next", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  let isDown = true;
  const down = { insertMany: () => Promise.reject(new StoreUnavailable("down")) };
  const engine = engineOver(services.engine, {
    records: (space, definition) => {
      const records = services.engine.records(space, definition);
      return withMethods(records, isDown ? down : {}) as never; // The caller chooses the type.
    },
  });
  const lines: string[] = [];
  const log = { ...silentLog, write: (_level: string, text: string) => void lines.push(text) };
  await using requestLog = createRequestLog({ ...services, engine, log });
  noteMany(requestLog, ONE, 1);
  await requestLog.store();
  assert.deepEqual(lines, ["Requests could not be logged"]);
  isDown = false;
  noteMany(requestLog, ONE, 1);
  await requestLog.store();
  assert.equal((await storedRows(services.engine, ONE)).length, 1);
});

Deno.test("requestLog stores pending requests when it is disposed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  {
    await using requestLog = createRequestLog(services);
    noteMany(requestLog, ONE, 3);
  }
  assert.equal((await storedRows(services.engine, ONE)).length, 3);
});
