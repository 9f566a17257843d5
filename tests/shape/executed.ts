/** Counts the files, functions and statements that a request executes, by V8's coverage. */

import assert from "node:assert/strict";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const ROOT = new URL("../../", import.meta.url).href;
const PRODUCT = /^(?:lib|openapi|routes)\//;
/** The function that prepares each statement. */
const STATEMENT = { path: "lib/store/sqlite/connection.ts", name: "#prepare" };

const ARTICLES = {
  name: "articles",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "views", type: "Number", index: true },
    { key: "isPublished", type: "Boolean" },
    { key: "publishedAt", type: "Date" },
  ],
  rls: { mode: "public-read" },
};

interface ExecutedCounts {
  readonly files: number;
  readonly functions: number;
  readonly statements: number;
}

/** Number of measured calls. A background task may run during one, hardly during all. */
const CALLS = 5;

/**
 * Returns the smallest counts of several calls, after the modules are loaded.
 * @param call Called with a different number each time.
 */
async function countExecuted(call: (n: number) => Promise<unknown>): Promise<ExecutedCounts> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const counts: ExecutedCounts[] = [];
    for (let n = 0; n < CALLS; n++) {
      // Taking the coverage resets its counters.
      await session.post("Profiler.takePreciseCoverage");
      await call(n);
      counts.push(executedCounts((await session.post("Profiler.takePreciseCoverage")).result));
    }
    const least = (count: keyof ExecutedCounts) => Math.min(...counts.map((one) => one[count]));
    return {
      files: least("files"),
      functions: least("functions"),
      statements: least("statements"),
    };
  } finally {
    session.disconnect();
  }
}

function executedCounts(scripts: readonly Profiler.ScriptCoverage[]): ExecutedCounts {
  let [files, functions, statements] = [0, 0, 0];
  for (const { url, functions: covered } of scripts) {
    const path = url.startsWith(ROOT) ? url.slice(ROOT.length) : "";
    const called = covered.filter(({ ranges }) => ranges[0]!.count > 0);
    if (!PRODUCT.test(path) || called.length === 0) continue;
    files++;
    functions += called.length;
    if (path !== STATEMENT.path) continue;
    for (const { functionName, ranges } of called) {
      if (functionName === STATEMENT.name) statements += ranges[0]!.count;
    }
  }
  return { files, functions, statements };
}

async function send(app: TestApp, key: string, path: string, body?: unknown): Promise<void> {
  const headers = {
    "x-api-key": key,
    origin: "https://app.example",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const method = body === undefined ? "GET" : "POST";
  const answer = await app.send({ method, path, headers, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, answer.text);
}

/** Returns the counts of a list with a new query and of an insert, sent as a browser does. */
export async function requestCounts(): Promise<Readonly<Record<string, number>>> {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection(ARTICLES);
  const insert = (n: number) =>
    send(app, project.secretKey, "/api/data/articles", {
      title: `Article ${n}`,
      views: n,
      isPublished: true,
    });
  const list = (views: number) =>
    send(
      app,
      project.publishableKey,
      `/api/data/articles?filter[views_gte]=${views}&sort=-views&limit=20`,
    );
  // Loads all modules and creates all resources that a project needs at first.
  for (let n = 0; n < 30; n++) await insert(n);
  await list(1);
  const listed = await countExecuted((n) => list(2 + n));
  const inserted = await countExecuted((n) => insert(30 + n));
  return {
    filesOfAList: listed.files,
    functionsOfAList: listed.functions,
    statementsOfAList: listed.statements,
    filesOfAnInsert: inserted.files,
    functionsOfAnInsert: inserted.functions,
    statementsOfAnInsert: inserted.statements,
  };
}
