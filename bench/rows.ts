import assert from "node:assert/strict";
import { post, Random } from "./documents.ts";
import { FILE_ROWS } from "./files.ts";
import { isShort, load, type Target } from "./load.ts";
import { ask, askData, jsonRequest, median, ratio } from "./measuring.ts";
import { LIVE_ROWS } from "./live.ts";
import { NEIGHBOUR_ROWS } from "./neighbours.ts";
import { type Program, residentMb, startBare, startCorbel } from "./process.ts";
import { QUESTION_ROWS } from "./question_rows.ts";
import type { Row } from "./report.ts";
import { type Setting, temporaryFolder } from "./seed.ts";
import { SIGN_IN_ROWS, USER_ROWS } from "./sign_in.ts";

const STARTS = 3;
const MEMORY_SECONDS = isShort ? 1 : 60;

export const ROWS: readonly Row[] = [
  ...QUESTION_ROWS,
  {
    name: "insert_vs_engine",
    description: "one-document POSTs over bare autocommit inserts, both fully durable",
    atLeast: 0.4,
    measure: insertOverEngine,
  },
  {
    name: "insert32_vs_insert1",
    description: "POSTs per second on 32 connections over one connection, fully durable",
    atLeast: 2,
    measure: manyWritersOverOne,
  },
  ...NEIGHBOUR_ROWS,
  {
    name: "workers2_vs_1",
    description: "100-row lists from two threads over the same from one",
    atLeast: 1.3,
    measure: measureWorkerRatio,
  },
  ...SIGN_IN_ROWS,
  ...USER_ROWS,
  ...LIVE_ROWS,
  ...FILE_ROWS,
  {
    name: "start_ms",
    description: "start to first answered request",
    atMost: 1000,
    measure: startTime,
  },
  {
    name: "rss_idle_mb",
    description: "resident memory, idle",
    atMost: 140,
    measure: (setting) =>
      memoryAfter(setting, (corbel) => ask(listTarget(corbel, setting, "posts"))),
  },
  {
    name: "rss_load_mb",
    description: "resident memory after 60 s of listing",
    atMost: 260,
    measure: (setting) =>
      memoryAfter(
        setting,
        (corbel) => load(listTarget(corbel, setting, "posts?limit=100"), MEMORY_SECONDS),
      ),
  },
];

const secretKeyHeader = ({ seeded }: Setting) => ({ "x-api-key": seeded.secretKey });

const listTarget = (server: Program, setting: Setting, query: string): Target => ({
  url: `${server.url}/api/data/${query}`,
  headers: secretKeyHeader(setting),
});

const insertTarget = (server: Program, setting: Setting) =>
  jsonRequest(`${server.url}/api/data/inserted`, secretKeyHeader(setting), POST);

const POST = post(new Random(1), ["nobody"]);

async function insertOverEngine(setting: Setting): Promise<number> {
  await using folder = await temporaryFolder();
  await using corbel = await startCorbel(setting.settings);
  await using bare = await startBare("bare", "insert", folder.path);
  const target = insertTarget(corbel, setting);
  const measured = await ratio(target, { ...target, url: bare.url });
  const { items: [last] } = await askData(listTarget(corbel, setting, "inserted?limit=1"));
  assert.deepEqual({ ...last, ...POST }, last);
  assert.equal(await ask({ url: bare.url }), target.body);
  return measured;
}

async function manyWritersOverOne(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.settings);
  const target = insertTarget(corbel, setting);
  return await ratio(target, { ...target, connections: 1 });
}

async function measureWorkerRatio(setting: Setting): Promise<number> {
  await using two = await startCorbel({ ...setting.settings, WORKERS: "2" });
  await using one = await startCorbel(setting.settings);
  const lists = [two, one].map((server) => listTarget(server, setting, "posts?limit=100"));
  const [target, base] = lists as [Target, Target];
  assert.equal(await ask(target), await ask(base));
  return await ratio(target, base);
}

async function startTime({ settings }: Setting): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    await using corbel = await startCorbel(settings);
    times.push(corbel.startMs);
  }
  return Math.round(median(times));
}

async function memoryAfter(
  { settings }: Setting,
  work: (corbel: Program) => Promise<unknown>,
): Promise<number> {
  await using corbel = await startCorbel(settings);
  await work(corbel);
  return await residentMb(corbel.pid);
}
