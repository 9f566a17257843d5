import assert from "node:assert/strict";
import { maintain } from "@/routes/maintenance.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import { StoreUnavailable } from "../store/errors.ts";
import { ALL } from "../store/filter.ts";
import {
  createRequestCounts,
  readRequestCounts,
  REQUEST_COUNTS,
  type RequestCount,
} from "./request_counts.ts";

const [ONE, TWO] = ["66f1a0c2e4b0a1b2c3d4e5f6", "66f1a0c2e4b0a1b2c3d4e5f7"];

const nonEmpty = (counts: RequestCount[]) =>
  counts.filter(({ requests }) => requests > 0)
    .map(({ from, requests, errors }) => [from, requests, errors]);

const countStored = ({ services }: TestServices) =>
  services.engine.records("control", REQUEST_COUNTS).count(ALL);

Deno.test("readRequestCounts returns stored counts per project, by minute and by day", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { requestCounts } = services;
  for (const status of [200, 201, 304, 399, 400, 404, 503]) requestCounts.count(ONE, status);
  requestCounts.count(TWO, 500);
  assert.equal(await countStored(opened), 0, "count writes nothing");
  await requestCounts.store();
  clock.advance(60_000);
  requestCounts.count(ONE, 200);
  await requestCounts.store();
  const { minutes, days } = await readRequestCounts(services, ONE);
  assert.equal(minutes.length, 60);
  assert.equal(days.length, 30);
  assert.deepEqual(nonEmpty(minutes), [
    ["2026-01-31T12:00:00.000Z", 7, 3],
    ["2026-01-31T12:01:00.000Z", 1, 0],
  ]);
  assert.equal(minutes.at(-1)!.from, "2026-01-31T12:01:00.000Z");
  assert.deepEqual(nonEmpty(days), [["2026-01-31T00:00:00.000Z", 8, 3]]);
  assert.equal(days[0]!.from, "2026-01-02T00:00:00.000Z");
  assert.deepEqual(nonEmpty((await readRequestCounts(services, TWO)).days), [
    ["2026-01-31T00:00:00.000Z", 1, 1],
  ]);
});

Deno.test("readRequestCounts returns minutes for an hour and days for 30 days", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  services.requestCounts.count(ONE, 200);
  await services.requestCounts.store();
  clock.advance(59 * 60_000);
  assert.equal(nonEmpty((await readRequestCounts(services, ONE)).minutes).length, 1);
  clock.advance(60_000);
  assert.deepEqual(nonEmpty((await readRequestCounts(services, ONE)).minutes), []);
  clock.advance(29 * 86_400_000 - 3_600_000);
  assert.equal(nonEmpty((await readRequestCounts(services, ONE)).days).length, 1);
  await maintain(services);
  assert.equal(await countStored(opened), 1);
  clock.advance(86_400_000);
  assert.deepEqual(nonEmpty((await readRequestCounts(services, ONE)).days), []);
  clock.advance(30 * 86_400_000 + 1);
  await maintain(services);
  assert.equal(await countStored(opened), 0);
});

Deno.test("requestCounts of several processes add up", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const processes = Array.from({ length: 8 }, () => createRequestCounts(services));
  for (let round = 0; round < 5; round++) {
    for (const counts of processes) for (let n = 0; n < 3; n++) counts.count(ONE, 404);
    await Promise.all(processes.map((counts) => counts.store()));
  }
  for (const counts of processes) await counts[Symbol.asyncDispose]();
  const { minutes, days } = await readRequestCounts(services, ONE);
  assert.deepEqual(nonEmpty(minutes), [["2026-01-31T12:00:00.000Z", 120, 120]]);
  assert.deepEqual(nonEmpty(days), [["2026-01-31T00:00:00.000Z", 120, 120]]);
});

Deno.test("requestCounts stores pending counts when it is disposed", async () => {
  await using opened = await openTestServices();
  {
    await using elsewhere = await openTestServices({ store: opened.store, clock: opened.clock });
    elsewhere.services.requestCounts.count(ONE, 200);
  }
  assert.equal(nonEmpty((await readRequestCounts(opened.services, ONE)).days)[0]![1], 1);
});

Deno.test("requestCounts stores counts that the store rejected with the next ones", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  let isAway = true;
  const engine = new Proxy(services.engine, {
    get: (target, name) =>
      name === "records" && isAway
        ? () => ({ updateOne: () => Promise.reject(new StoreUnavailable("away")) })
        : Reflect.get(target, name).bind(target),
  });
  await using counts = createRequestCounts({ ...services, engine });
  for (let n = 0; n < 120; n++) counts.count(n.toString(16).padStart(24, "0"), 200);
  await counts.store();
  isAway = false;
  counts.count("0".repeat(24), 200);
  await counts.store();
  for (const [n, requests] of [[0, 2], [119, 1]] as const) {
    const { days } = await readRequestCounts(services, n.toString(16).padStart(24, "0"));
    assert.equal(nonEmpty(days)[0]![1], requests);
  }
});
