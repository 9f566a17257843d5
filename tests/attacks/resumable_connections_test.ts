/** Connections that send parts of uploads in unusual ways. */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import {
  assertSameBytes,
  confirm,
  fetchServed,
  offsetOf,
  patchHead,
  request,
  resumeToEnd,
  startUpload,
} from "../acceptance/resumable.ts";
import { createProject, send } from "../acceptance/project.ts";
import { connect, exchange } from "../acceptance/raw.ts";
import { startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { storage } from "../support/test_store.ts";

const CHUNKED = "transfer-encoding: chunked";
const SOON_MS = 60_000;
/** Milliseconds that exceed the time a busy server takes to read data. */
const READ_MS = 2000;
/** Milliseconds between single bytes, a pace at which an upload would take minutes. */
const DRIP_MS = 100;
const MiB = 1_048_576;

const textBytes = (text: string) => new TextEncoder().encode(text);

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

Deno.test("attacks by connections that send parts", async (t) => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const tokens: string[] = [];
  const requestUpload = async (size = 10) => {
    const upload = await request(server, project, size);
    tokens.push(upload.path.split("/").at(-1)!);
    return upload;
  };

  await t.step("slowly sent parts make one file and delay no other upload", async () => {
    const [slow, other] = [await requestUpload(), await requestUpload()];
    using connection = await startUpload(server, slow, chunk("h"), CHUNKED);
    await resumeToEnd(server, other, textBytes("0123456789"));
    for (const letter of "elloworld") await connection.write(chunk(letter));
    await connection.write("0\r\n\r\n");
    const { status, head } = await connection.answer();
    assert.equal(status, 204);
    assert.match(head, /^upload-offset: 10\r?$/im);
    const bytes = await fetchServed(server, await confirm(server, project, slow));
    assertSameBytes(bytes, textBytes("helloworld"));
  });

  await t.step("a slow client loses its lock to a client that resumes", async () => {
    const upload = await requestUpload(1000);
    using connection = await startUpload(server, upload, chunk("x"), CHUNKED);
    const dripping = (async () => {
      while (connection.received() === "" && await connection.write(chunk("x"))) {
        await pause(DRIP_MS);
      }
    })();
    await resumeToEnd(server, upload, textBytes("x".repeat(1000)));
    await dripping;
    const { status, body } = await connection.answer();
    assert.deepEqual([status, JSON.parse(body).code], [423, "UPLOAD_LOCKED"]);
    const bytes = await fetchServed(server, await confirm(server, project, upload));
    assertSameBytes(bytes, textBytes("x".repeat(1000)));
  });

  const cuts = {
    "a body shorter than its length": ["hello", "wo", "content-length: 10"],
    "chunks without an end": [chunk("hello"), chunk("wo"), CHUNKED],
    "a chunk that is cut": [chunk("hello"), "5\r\nwo", CHUNKED],
  } as const;
  for (const [what, [first, last, header]] of Object.entries(cuts)) {
    for (const way of ["ends", "resets"] as const) {
      await t.step(
        `${what}, and the client ${way}: the received bytes are kept, and the upload resumes`,
        async () => {
          const upload = await requestUpload();
          using connection = await startUpload(server, upload, first, header);
          // Deno does not pass on data of a connection that ends before it is read.
          const isRead = async () => await offsetOf(server, upload) === 5;
          if (storage === "disk") await until("the bytes are read", isRead, SOON_MS);
          else await pause(READ_MS); // A bucket stores nothing of an incomplete part.
          await connection.write(last);
          if (way === "ends") {
            connection.end();
            const isKept = async () => await offsetOf(server, upload) === 7;
            await until("the bytes are stored", isKept, SOON_MS);
          } else connection[Symbol.dispose]();
          await resumeToEnd(server, upload, textBytes("helloworld"));
          const file = await fetchServed(server, await confirm(server, project, upload));
          assertSameBytes(file, textBytes("helloworld"));
        },
      );
    }
  }

  await t.step("malformed or repeated headers are refused before a byte is written", async () => {
    const upload = await requestUpload();
    const heads = [
      patchHead(upload, 0, "content-length: ten"),
      patchHead(upload, 0, "content-length: -1"),
      patchHead(upload, 0, "content-length: 10", "content-length: 11"),
      patchHead(upload, 0, "content-length: 10", CHUNKED),
      patchHead(upload, 0, "transfer-encoding: chunked, identity"),
      patchHead(upload, 0, "content-length: 10", "upload-offset: 0"),
      patchHead(upload, 0, "content-length: 10", "content-type: text/plain"),
      patchHead(upload, 0, "content-length: 10", "content-encoding: gzip"),
      patchHead(upload, 0, "content-length: 11"),
    ];
    for (const head of heads) {
      const { status } = await exchange(server.port, `${head}0123456789`);
      assert.ok(status === null || (status >= 400 && status < 500), `${head}: ${status}`);
    }
    assert.equal(await offsetOf(server, upload), 0);
  });

  await t.step("an endless body is refused at the first excess byte", async () => {
    const upload = await requestUpload(10_000);
    using connection = await connect(server.port);
    await connection.write(patchHead(upload, 0, CHUNKED));
    let sent = 0;
    const bytes = chunk("x".repeat(1000));
    while (connection.received() === "" && await connection.write(bytes)) sent += 1000;
    const answer = await connection.answer();
    assert.deepEqual([answer.status, JSON.parse(answer.body).code], [413, "UPLOAD_TOO_LONG"]);
    assert.ok(sent < 64 * MiB, `${sent} bytes were accepted`);
    assert.ok(await offsetOf(server, upload) <= 10_000);
    await resumeToEnd(server, upload, textBytes("x".repeat(10_000)));
    assert.equal((await confirm(server, project, upload)).status, 200);
  });

  await t.step(
    "uploads that are cancelled in progress reserve no space",
    async () => {
      const { secretKey: key } = project;
      const reserved = async () =>
        (await send(server, { path: "/api/storage/usage", key })).body.data.reserved;
      const before = await reserved();
      for (let i = 0; i < 4; i++) {
        const upload = await requestUpload(2 * MiB);
        const bytes = new Uint8Array(MiB);
        using connection = await startUpload(server, upload, bytes, `content-length: ${2 * MiB}`);
        const { status } = await send(server, { method: "DELETE", path: upload.path });
        assert.equal(status, 204);
        assert.equal(await reserved(), before);
        const answer = await connection.answer();
        assert.deepEqual([answer.status, JSON.parse(answer.body).code], [410, "UPLOAD_GONE"]);
      }
    },
  );

  await t.step("the log contains no token and no failure", async () => {
    const { stdout, stderr } = await server.stop();
    for (const token of tokens) assert.ok(!(stdout + stderr).includes(token.slice(0, 60)));
    assert.match(stdout, /"operation":"resumeUpload"/);
    assert.doesNotMatch(stdout, /"level":"error"/);
  });
});
