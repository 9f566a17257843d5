import assert from "node:assert/strict";
import { assertRefused, bytesOf, endWithoutServerError, openTarget, quoted } from "./hostile.ts";
import { connect, exchange } from "./raw.ts";

Deno.test("no request line or head causes a 5xx or gets another request's response", async () => {
  await using target = await openTarget();
  const { server, project, request } = target;
  const path = "/api/data/things";
  const host = "host: localhost\r\n";
  const heads: [string, readonly number[]][] = [
    [`GET http://evil.example${path} HTTP/1.1\r\nhost: evil.example\r\n\r\n`, [400, 401, 404]],
    [`GET http://evil.example HTTP/1.1\r\n${host}\r\n`, [200, 400, 404]],
    [`GET ftp://x/api/health HTTP/1.1\r\n${host}\r\n`, [200, 400, 404]],
    [`GET http:///api/health HTTP/1.1\r\n${host}\r\n`, [200, 400, 404]],
    [`GET api/health HTTP/1.1\r\n${host}\r\n`, [400, 404]],
    [`OPTIONS * HTTP/1.1\r\n${host}\r\n`, [200, 204, 400, 404]],
    [`GET * HTTP/1.1\r\n${host}\r\n`, [400, 404]],
    [`CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n`, [400, 404, 405]],
    [`GET ?a=b HTTP/1.1\r\n${host}\r\n`, [200, 400, 404]],
    [`GET ${path} HTTP/1.1\r\n\r\n`, [400, 401]],
    [`GET ${path} HTTP/1.0\r\n\r\n`, [400, 401, 505]],
    [`GET ${path}\r\n\r\n`, [400]],
    [`GET  ${path}  HTTP/1.1\r\n${host}\r\n`, [400, 401]],
    [`GET ${path} HTTP/9.9\r\n${host}\r\n`, [400, 505]],
    [`GET ${path} HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n`, [400, 401]],
    [`GET ${path} HTTP/1.1\r\n${host}: no name\r\n\r\n`, [400, 401]],
    [`GET ${path} HTTP/1.1\r\n${host}x-api-key: \u00ff\u00fe\u0001\r\n\r\n`, [400, 401]],
    [`GET ${path} HTTP/1.1\r\n${host}x-api-key: a\r\nx-api-key: b\r\n\r\n`, [400, 401]],
    [`GET ${path} HTTP/1.1\r\n${host}x-forwarded-for: ${",".repeat(5000)}\r\n\r\n`, [
      400,
      401,
      431,
    ]],
    [`GET ${path} HTTP/1.1\r\n${host}cookie: ${"a=b; ".repeat(20_000)}\r\n\r\n`, [400, 401, 431]],
    [`GET ${path} HTTP/1.1\r\n${host}${"x: y\r\n".repeat(1000)}\r\n`, [400, 401, 431]],
    [`POST ${path} HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`, [400, 401]],
    [`POST ${path} HTTP/1.1\r\n${host}content-length: 1e3\r\n\r\n`, [400, 401]],
    [`POST ${path} HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, [
      400,
      401,
    ]],
    [
      `POST ${path} HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400, 401],
    ],
    [`POST ${path} HTTP/1.1\r\n${host}transfer-encoding: gzip\r\n\r\n`, [400, 401, 501]],
    ["\r\n\r\n\r\n", [200, 400]],
    ["\u0000\u0000\u0000\u0000\r\n\r\n", [400]],
    ["\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n", [400]],
  ];
  for (const [head, allowed] of heads) {
    using connection = await connect(server.port);
    await connection.write(bytesOf(head));
    // A second request completes an unfinished head.
    await connection.write(request("GET /api/health"));
    const answer = await connection.answer();
    assertRefused(answer, quoted(head), allowed);
    assert.ok(!answer.body.includes('"items"'), `${quoted(head)} must not list`);
    await target.stillServes(quoted(head));
  }

  for (const method of ["FOO", "get", "TRACE", "PROPFIND", "M-SEARCH", "A".repeat(5000)]) {
    const known = await exchange(server.port, request(`${method} ${path}`));
    assertRefused(known, method, [400, 404, 405, 501]);
    if (method === "FOO") {
      assert.equal(known.status, 405);
      assert.match(known.head, /^allow: .*GET.*$/im);
    }
    const unknown = await exchange(server.port, request(`${method} /nowhere`));
    assertRefused(unknown, method, [400, 404, 405, 501]);
    await target.stillServes(method);
  }

  for (const key of ["Idempotency-Key", "If-Match", "If-None-Match", "Authorization", "Origin"]) {
    for (const value of ["", "\u00ff\u0001", "a".repeat(20_000), '"', "*,*,*"]) {
      const secret = request(`GET ${path}`, [`${key}: ${value}`]);
      assertRefused(await exchange(server.port, secret), `${key}: ${quoted(value)}`, [
        200,
        304,
        400,
        401,
        431,
      ]);
      const missing = `PATCH ${path}/${"0".repeat(24)}`;
      const type = "content-type: application/json";
      const write = request(missing, [`${key}: ${value}`, type], "{}");
      const answer = await exchange(server.port, write);
      assertRefused(answer, `PATCH, ${key}: ${quoted(value)}`, [400, 401, 404, 412, 431]);
    }
  }
  const publishable = `x-api-key: ${project.publishableKey}`;
  for (
    const value of [
      "Bearer",
      "Bearer .",
      "Bearer ..",
      "Bearer a.b.c",
      `Bearer ${"a.".repeat(9000)}`,
    ]
  ) {
    const head =
      `GET ${path} HTTP/1.1\r\n${host}connection: close\r\n${publishable}\r\nauthorization: ${value}\r\n\r\n`;
    assertRefused(await exchange(server.port, bytesOf(head)), value.slice(0, 60), [400, 401, 431]);
  }
  await target.stillServes("headers");
  await endWithoutServerError(server);
});
