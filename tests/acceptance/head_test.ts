import assert from "node:assert/strict";
import { openTarget } from "./hostile.ts";
import { send } from "./project.ts";

Deno.test("the response to a HEAD has the length of the GET or none, and no body", async () => {
  await using target = await openTarget();
  const { server, project: { secretKey: key } } = target;
  const things = "/api/data/things";
  const { body: { data: { items } } } = await send(server, { path: things, key });
  for (let n = 0; n < 2; n++) {
    const documents = Array.from({ length: 10 }, () => ({ text: "ä".repeat(60_000) }));
    await send(server, { path: `${things}/bulk`, key, body: documents });
  }
  const paths = [
    ...["/api/health", "/api/ready", "/openapi.json", "/docs", "/dashboard/login", "/nothing", "/"],
    ...[things, `${things}?limit=1`, `${things}?limit=20`, `${things}?nothing_gt=`],
    ...[
      `${things}/${items[0]._id}`,
      `${things}/${"0".repeat(24)}`,
      `${things}/aggregate?count=true`,
    ],
    ...["/api/data/users", "/api/data/%zz", "/files/nothing/nothing"],
  ];
  let withLength = 0;
  for (const path of paths) {
    for (const headers of [{}, { "accept-encoding": "gzip" }]) {
      const get = await send(server, { path, key, headers });
      const head = await send(server, { method: "HEAD", path, key, headers });
      const length = head.headers.get("content-length");
      assert.equal(head.status, get.status, path);
      assert.equal(head.text, "", path);
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"), path);
      if (length === null) continue;
      withLength++;
      const sent = get.headers.get("content-encoding") === null
        ? String(new TextEncoder().encode(get.text).length)
        : get.headers.get("content-length");
      assert.equal(length, sent, path);
    }
  }
  assert.ok(withLength > paths.length, "most responses have a length");
});

Deno.test("the response to a HEAD of a stream has no length", async () => {
  await using target = await openTarget();
  const { server, project: { secretKey: key } } = target;
  const head = await send(server, { method: "HEAD", path: "/api/data/things/live", key });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), null);
  assert.match(head.headers.get("content-type")!, /^text\/event-stream/);
});
