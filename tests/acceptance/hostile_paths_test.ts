import assert from "node:assert/strict";
import { assertRefused, endWithoutServerError, openTarget, quoted } from "./hostile.ts";
import { exchange } from "./raw.ts";

Deno.test("no path causes a 5xx or reaches another address", async () => {
  await using target = await openTarget();
  const { server, request } = target;
  const paths = [
    "/api/data/%",
    "/api/data/%zz",
    "/api/data/things%",
    "/api/data/%E0%A4%A",
    "/api/data/%C0%AFthings",
    "/api/data/%ff%fe",
    "//api/data/things",
    "/api//data/things",
    "/api/data//things",
    "//",
    "///",
    "/api/data%2Fthings",
    "/api%2fdata%2fthings",
    "/api/data/things%2Fbulk",
    "/api/data/things%5Cbulk",
    "/api/data/./things",
    "/api/data/x/../things",
    "/api/data/..%2fthings",
    "/api/data/%2e%2e/data/things",
    "/../../etc/passwd",
    "/docs/..%2f..%2fmain.ts",
    "/api/data/%00",
    "/api/data/things%00",
    "/api/data/things/%00",
    "/api/data/%0d%0aset-cookie:%20a=b",
    "/api/data/thing\u00f6",
    "/api/data/\u0001",
    "/api/data/things\\bulk",
    `/api/data/${"a".repeat(70_000)}`,
    `/${"a/".repeat(35_000)}`,
    `/api/data/${"%41".repeat(20_000)}`,
    "/api/data/__proto__",
    "/api/data/constructor",
    "/api/schemas/__proto__",
    "/api/projects/__proto__/jwks.json",
    "/api/data/_collections",
    "/api/data/_signingKeys",
    "/api/data/_idempotency",
    "/api/data/things/__proto__",
    "/docs/__proto__",
  ];
  // Two operations could take one of these paths for theirs, and each would store this body.
  const body = '{"documents":[{"n":1}]}';
  for (const path of paths) {
    for (
      const message of [
        request(`GET ${path}`),
        request(`POST ${path}`, ["content-type: application/json"], body),
      ]
    ) {
      const answer = await exchange(server.port, message);
      assertRefused(answer, quoted(path), [400, 404, 405, 414, 431]);
      assert.doesNotMatch(answer.head, /^set-cookie/im);
    }
    await target.stillServes(quoted(path));
  }
  await endWithoutServerError(server);
});

Deno.test("no query string causes a 5xx", async () => {
  await using target = await openTarget();
  const { server, request } = target;
  const queries = [
    "%",
    "%=%",
    "n=%zz",
    "n=%ff",
    "=",
    "&&&=&",
    "n=%00",
    "%00=1",
    "where=%00",
    "where=%ff",
    `where=${"%5B".repeat(1300)}`,
    `where=${encodeURIComponent('{"not":'.repeat(500) + "{}" + "}".repeat(500))}`,
    "where=null",
    "where=1e400",
    "n=1e400",
    "n_in=" + ",".repeat(2000),
    "sort=" + "n,".repeat(5000),
    "fields=" + "a.".repeat(10_000) + "a",
    "fields=__proto__",
    "populate=__proto__",
    "n_regex=(a%2B)%2B$",
    "text_regex=" + "(".repeat(120),
    "text_regex=%5C",
    "text_regex=%5Cud800",
    "cursor=",
    "cursor=%00.%00",
    "cursor=" + "A".repeat(60_000),
    "__proto__=1",
    "constructor.prototype=1",
    "a".repeat(60_000) + "=1",
    Array(5000).fill("n=1").join("&"),
    "limit=9999999999999999999999",
    "page=1000000000&limit=1000",
    "text=\u00ff\u00fe",
    "n=-0&n=0",
    "#fragment",
    "?",
  ];
  for (const query of queries) {
    const answer = await exchange(server.port, request(`GET /api/data/things?${query}`));
    assertRefused(answer, quoted(query), [200, 400, 414, 431]);
    await target.stillServes(quoted(query));
  }
  await endWithoutServerError(server);
});
