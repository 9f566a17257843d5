/** What one request enters: files, functions and statements, by V8's coverage of it. */

import assert from "node:assert/strict";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const ROOT = new URL("../../", import.meta.url).href;
const PRODUCT = /^(?:lib|openapi|routes)\//;
/** Each statement passes through it. */
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

interface Entered {
  readonly files: number;
  readonly functions: number;
  readonly statements: number;
}

/** A background task may run during one of the calls, and hardly during all. */
const CALLS = 5;

/**
 * Counts what a call enters whose modules are loaded.
 * @param call Is made several times, each time with another number.
 */
async function enteredBy(call: (n: number) => Promise<unknown>): Promise<Entered> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const counts: Entered[] = [];
    for (let n = 0; n < CALLS; n++) {
      // Starts to count at 0 again.
      await session.post("Profiler.takePreciseCoverage");
      await call(n);
      counts.push(entered((await session.post("Profiler.takePreciseCoverage")).result));
    }
    const least = (count: keyof Entered) => Math.min(...counts.map((one) => one[count]));
    return {
      files: least("files"),
      functions: least("functions"),
      statements: least("statements"),
    };
  } finally {
    session.disconnect();
  }
}

function entered(scripts: readonly Profiler.ScriptCoverage[]): Entered {
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

async function publicly(app: TestApp, key: string, path: string, body?: unknown): Promise<void> {
  const headers = {
    "x-api-key": key,
    origin: "https://app.example",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const method = body === undefined ? "GET" : "POST";
  const answer = await app.send({ method, path, headers, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, answer.text);
}

/** The counts of a list that nobody has asked before and of an insert, as browsers send them. */
export async function requestCounts(): Promise<Readonly<Record<string, number>>> {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection(ARTICLES);
  const insert = (n: number) =>
    publicly(app, project.secretKey, "/api/data/articles", {
      title: `Article ${n}`,
      views: n,
      isPublished: true,
    });
  const list = (views: number) =>
    publicly(
      app,
      project.publishableKey,
      `/api/data/articles?filter[views_gte]=${views}&sort=-views&limit=20`,
    );
  // All modules are loaded, and all that a project needs at first is there.
  for (let n = 0; n < 30; n++) await insert(n);
  await list(1);
  const listed = await enteredBy((n) => list(2 + n));
  const inserted = await enteredBy((n) => insert(30 + n));
  return {
    filesOfAList: listed.files,
    functionsOfAList: listed.functions,
    statementsOfAList: listed.statements,
    filesOfAnInsert: inserted.files,
    functionsOfAnInsert: inserted.functions,
    statementsOfAnInsert: inserted.statements,
  };
}
