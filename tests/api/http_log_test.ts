import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  type CollectionCall,
  createTestCollection,
  type TestCollection,
  UNKNOWN_ID,
} from "./test_collection.ts";
import { sampleCalls } from "./sample_calls.ts";

/** Runs `work` on a new app and returns the log lines that it caused. */
async function collectLog(
  work: (app: TestApp, collection: TestCollection) => Promise<void>,
): Promise<{
  text: string;
  lines: { [name: string]: unknown }[];
}> {
  let text = "";
  {
    using log = createLog("info", (more) => void (text += more));
    await using app = await openTestApp({ log });
    const collection = await createTestCollection(app);
    log.flush();
    text = "";
    await work(app, collection);
  }
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { text, lines };
}

Deno.test("every request is logged as one JSON line with operation, status, caller and problem", async () => {
  let projectId = "";
  const { lines } = await collectLog(async (app, collection) => {
    projectId = collection.project.projectId;
    await collection.asSecret({ body: {} });
    await collection.asPublic({});
    await collection.asPublic({ path: "?limit=0" });
    await app.send({ path: "/api/data/posts" });
    await app.send({ path: "/api/health" });
    await app.send({ path: "/nothing" });
    await app.send({ path: "/api/data/%zz" });
    await app.send({ path: "/api/data/posts", method: "OPTIONS" });
  });
  const seen = lines.map(({ operation, method, status, caller, problem, project }) =>
    [operation, method, status, caller, problem, project === projectId].join(" ")
  );
  assert.deepEqual(seen, [
    "createDocument POST 201 secret  true",
    "listDocuments GET 200 publishable  true",
    "listDocuments GET 400 publishable INVALID_QUERY true",
    "listDocuments GET 401  API_KEY_INVALID false",
    "getHealth GET 200   false",
    " GET 404  ROUTE_NOT_FOUND false",
    " GET 400  INVALID_PATH false",
    " OPTIONS 204   false",
  ]);
  for (const line of lines) {
    assert.equal(line.level, "info");
    assert.equal(line.message, "request");
    assert.ok(!Number.isNaN(Date.parse(line.time as string)));
    assert.ok(typeof line.ms === "number" && line.ms >= 0);
    assert.equal(typeof line.requestId, "string");
  }
});

Deno.test("a log line has the request id of the response", async () => {
  const ids: (string | null)[] = [];
  const { lines } = await collectLog(async (app, collection) => {
    for (const call of [{}, { body: {} }, { path: "/x" }] satisfies CollectionCall[]) {
      ids.push((await collection.asSecret(call)).headers.get("x-request-id"));
    }
    ids.push((await app.send({ path: "/nothing" })).headers.get("x-request-id"));
  });
  assert.deepEqual(lines.map(({ requestId }) => requestId), ids);
});

Deno.test("keys, tokens, bodies, headers, queries and paths never reach the log", async () => {
  const secrets: string[] = [];
  const { text } = await collectLog(async (app, collection) => {
    const { project } = collection;
    const ann = await project.user();
    secrets.push(project.publishableKey, project.secretKey, ann.token, ann.token.split(".")[2]!);
    const marks = [
      "Swordfish",
      "Marlin",
      "Barracuda",
      "Halibut",
      "Sturgeon",
      "Flounder",
      "Grouper",
    ];
    const [inBody, inQuery, inHeader, inPath, inKey, inToken, inOrigin] = marks as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    secrets.push(...marks);
    const headers = { "user-agent": inHeader, cookie: inHeader, referer: inHeader };
    for (const { call } of sampleCalls()) {
      for (const path of [call.path, `${call.path}?secret=${inQuery}&cursor=${inQuery}`]) {
        const body = call.body === undefined ? {} : { body: { name: inBody, $bad: inBody } };
        const one = { ...call, ...body, path, headers };
        await project.asSecret(one);
        await project.asPublic(one, ann);
        await app.send({
          ...one,
          headers: {
            ...headers,
            "x-api-key": inKey,
            authorization: `Bearer ${inToken}`,
            origin: `https://${inOrigin}.example`,
            "idempotency-key": inHeader,
            "if-match": inHeader,
          },
        });
      }
    }
    for (const path of [`/${inPath}`, `/api/data/${inPath}`, `/api/data/users${inPath}`]) {
      await project.asSecret({ path });
    }
    await project.asSecret({ path: `/api/data/posts/${inPath}` });
    await project.asSecret({ path: `/api/data/%zz${inPath}` });
    await project.asSecret({ path: "/api/data/posts", body: `{"broken": "${inBody}` });
  });
  for (const secret of secrets) assert.ok(!text.includes(secret), `the log contains ${secret}`);
  assert.ok(!text.includes("/api/data"));
});

Deno.test("a refusal is logged with its code and without its message", async () => {
  const { text, lines } = await collectLog(async (_app, collection) => {
    await collection.asSecret({ path: `/${UNKNOWN_ID}` });
    await collection.asSecret({ body: { "$where": 1 } });
  });
  assert.deepEqual(lines.map(({ problem }) => problem), ["DOCUMENT_NOT_FOUND", "INVALID_DOCUMENT"]);
  assert.ok(!text.includes("$where") && !text.includes(UNKNOWN_ID));
});

Deno.test("a line break in a request does not start another log line", async () => {
  const { lines } = await collectLog(async (app) => {
    await app.send({ path: "/api/data/a%0A%7B%22forged%22%3A1%7D" });
    await app.send({ path: "/%0d%0aforged", method: "QUERY" });
  });
  assert.equal(lines.length, 2);
});

Deno.test("LOG_LEVEL suppresses lines of lower levels", async () => {
  for (const [level, wanted] of [["warn", 0], ["error", 0], ["debug", 1]] as const) {
    let text = "";
    {
      using log = createLog(level, (more) => void (text += more));
      await using app = await openTestApp({ log });
      text = "";
      await app.send({ path: "/api/health" });
    }
    const requests = text.split("\n").filter((line) => line.includes('"getHealth"'));
    assert.equal(requests.length, wanted, level);
  }
});
