import assert from "node:assert/strict";
import {
  assertRefused,
  bytesOf,
  endWithoutServerError,
  openTarget,
  quoted,
  requestLogEntries,
} from "./hostile.ts";
import { connect, exchange } from "./raw.ts";
import { until } from "./until.ts";

const MiB = 1024 * 1024;

/** Lets received bytes be read, because a writer that never waits would starve the reader. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

const MANY_LISTS = "[".repeat(500_000);

Deno.test("no request body causes a 5xx or is stored", async (t) => {
  await using target = await openTarget();
  const { server, project, request } = target;
  const path = "/api/data/things";
  const type = "content-type: application/json";
  const post = (body: Uint8Array | string) =>
    exchange(server.port, request(`POST ${path}`, [type], body));

  await t.step("a body that is not UTF-8 or not JSON is a 400", async () => {
    const bodies: (Uint8Array | string)[] = [
      Uint8Array.of(0xff, 0xfe, 0x7b, 0x7d),
      bytesOf('{"text":"\u00c3\u0028"}'),
      bytesOf('{"text":"\u00ed\u00a0\u0080"}'),
      '{"text":"\\ud800"}',
      '{"text":"\\u0000"}',
      '{"\\ud800":1}',
      "\ufeff{",
      "null",
      "1",
      '"text"',
      "{}{}",
      "{'text':1}",
      '{"n":NaN}',
      '{"n":1e999}',
      "\u0000",
      "[".repeat(10_000) + "]".repeat(10_000),
      '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
      '{"a":' + "[".repeat(10_000) + "]".repeat(10_000) + "}",
      MANY_LISTS,
      '{"__proto__":{"n":1}}',
      '{"constructor":{"prototype":{"n":1}}}',
    ];
    for (const body of bodies) {
      const asked = typeof body === "string" ? quoted(body) : `bytes ${body.subarray(0, 8)}`;
      const answer = await post(body);
      // The limit on members is checked before parsing.
      assert.equal(answer.status, body === MANY_LISTS ? 413 : 400, asked);
      await target.stillServes(asked);
    }
  });

  await t.step("every operation with a body refuses deep JSON", async () => {
    const deep = '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000);
    const id = "0".repeat(24);
    for (const line of [`PUT ${path}/${id}`, `PATCH ${path}/${id}`, `POST ${path}/bulk`]) {
      for (const headers of [[type], [type, "idempotency-key: one"]]) {
        const answer = await exchange(server.port, request(line, headers, deep));
        assertRefused(answer, line, [400, 404]);
      }
    }
    await target.stillServes("deep JSON");
  });

  await t.step(
    "a chunked body that never ends is a 413, and the server keeps serving",
    async () => {
      using connection = await connect(server.port);
      await connection.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${project.secretKey}\r\n${type}\r\n` +
          "transfer-encoding: chunked\r\n\r\n",
      );
      const piece = "x".repeat(64 * 1024);
      const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
      let sent = 0;
      while (sent < 64 * MiB && connection.received() === "" && await connection.write(chunk)) {
        sent += piece.length;
        await turn();
      }
      const answer = await connection.answer();
      assert.equal(answer.status, 413);
      assert.equal(JSON.parse(answer.body).code, "BODY_TOO_LARGE");
      assert.ok(sent < 32 * MiB, `it was refused only after ${sent} bytes`);
      await target.stillServes("an endless body");
    },
  );

  await t.step("a body that is declared too large is a 413 before it is sent", async () => {
    for (const length of [2 * MiB, 2 ** 40]) {
      using connection = await connect(server.port);
      await connection.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${project.secretKey}\r\n${type}\r\n` +
          `content-length: ${length}\r\n\r\n`,
      );
      assert.equal((await connection.answer()).status, 413);
    }
    await target.stillServes("a large declaration");
  });

  await t.step("malformed chunks are refused", async () => {
    for (
      const chunks of [
        "zz\r\n",
        "-1\r\n",
        "ffffffffffffffffff\r\n",
        "5\r\nab\r\n0\r\n\r\n",
        "5;x=y\r\n",
      ]
    ) {
      using connection = await connect(server.port);
      await connection.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${project.secretKey}\r\n${type}\r\n` +
          `transfer-encoding: chunked\r\n\r\n${chunks}`,
      );
      connection.end();
      assertRefused(await connection.answer(), quoted(chunks), [400]);
    }
    await target.stillServes("bad chunks");
  });

  await endWithoutServerError(server);
});

Deno.test("an incomplete body stores nothing", async () => {
  await using target = await openTarget();
  const { server, project } = target;
  const count = 20;
  const connections = await Promise.all(Array.from({ length: count }, () => connect(server.port)));
  for (const connection of connections) {
    await connection.write(
      `POST /api/data/things HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${project.secretKey}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"text":"half of',
    );
  }
  await target.stillServes("half of a body");
  for (const connection of connections) connection[Symbol.dispose]();
  const cut = () => requestLogEntries(server).filter(({ problem }) => problem === "INVALID_JSON");
  await until("each request is in the log", () => cut().length === count);
  for (const { status } of cut()) assert.equal(status, 400);
  await target.stillServes("bodies cut off");
  await endWithoutServerError(server);
});
