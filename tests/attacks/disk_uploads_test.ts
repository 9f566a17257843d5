import assert from "node:assert/strict";
import { createProject, type Project, send } from "../acceptance/project.ts";
import { connect, exchange, type RawConnection } from "../acceptance/raw.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";

const MiB = 1_048_576;
const TYPE = "text/plain";

interface Upload {
  readonly filePath: string;
  readonly path: string;
  readonly size: number;
}

async function request(server: Server, { secretKey: key }: Project, size: number): Promise<Upload> {
  const body = { filename: "a.txt", contentType: TYPE, size };
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  const { filePath, signedUrl } = answer.body;
  return { filePath, path: new URL(signedUrl).pathname, size };
}

const confirm = (server: Server, { secretKey: key }: Project, { filePath, size }: Upload) =>
  send(server, { path: "/api/storage/upload-confirm", key, body: { filePath, size } });

const put = async (server: Server, { path }: Upload, body: BodyInit, type = TYPE) => {
  const { http: client, url } = server;
  const headers = { "content-type": type };
  const answer = await fetch(url + path, { method: "PUT", headers, body, client });
  const text = await answer.text();
  return { status: answer.status, code: JSON.parse(text).code, headers: answer.headers };
};

const head = (path: string, ...headers: string[]) =>
  [`PUT ${path} HTTP/1.1`, "host: localhost", `content-type: ${TYPE}`, ...headers, "", ""]
    .join("\r\n");

async function listStoredFiles(server: Server, at = "/files"): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(server.store.folder + at)) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory) found.push(...await listStoredFiles(server, path));
      else found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}

/** Returns the bytes of unfinished uploads. */
async function countStoredBytes(server: Server): Promise<number> {
  let bytes = 0;
  for (const path of await listStoredFiles(server, "/files/_partial")) {
    bytes += await Deno.stat(server.store.folder + path).then(({ size }) => size, () => 0);
  }
  return bytes;
}

async function startUpload(server: Server, { path }: Upload, rest: string): Promise<RawConnection> {
  const before = (await listStoredFiles(server)).length;
  const connection = await connect(server.port);
  await connection.write(
    head(path, rest.startsWith("5\r\n") ? CHUNKED : "content-length: 10") + rest,
  );
  await until("the upload begins", async () => (await listStoredFiles(server)).length > before);
  return connection;
}

const CHUNKED = "transfer-encoding: chunked";

Deno.test("attacks by uploads", async (t) => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const make = (size = 10) => request(server, project, size);
  const tokens: string[] = [];
  const requestUpload = async (size?: number) => {
    const upload = await make(size);
    tokens.push(upload.path.split("/").at(-1)!);
    return upload;
  };

  const cuts = {
    "a body shorter than its length": "hello",
    "chunks without an end": "5\r\nhello\r\n",
  };
  for (const [what, rest] of Object.entries(cuts)) {
    for (const way of ["ends", "resets"] as const) {
      await t.step(
        `${what}, and the client ${way}: no file remains, and the address stays valid`,
        async () => {
          const upload = await requestUpload();
          const before = await listStoredFiles(server);
          const connection = await startUpload(server, upload, rest);
          if (way === "ends") connection.end();
          else connection[Symbol.dispose]();
          const gone = async () => (await listStoredFiles(server)).length === before.length;
          await until("no file remains", gone);
          connection[Symbol.dispose]();
          assert.equal((await confirm(server, project, upload)).body.code, "UPLOAD_NOT_READY");
          assert.equal((await put(server, upload, "0123456789")).status, 200);
        },
      );
    }
  }

  await t.step("a malformed or repeated length is refused before a byte is written", async () => {
    const upload = await requestUpload();
    const before = await listStoredFiles(server);
    const heads = [
      ["content-length: ten"],
      ["content-length: -1"],
      ["content-length: 10", "content-length: 11"],
      ["content-length: 10", CHUNKED],
      ["transfer-encoding: chunked, identity"],
    ];
    for (const headers of heads) {
      const { status } = await exchange(server.port, head(upload.path, ...headers) + "0123456789");
      assert.ok(status === null || (status >= 400 && status < 500), `${headers}: ${status}`);
    }
    assert.deepEqual(await listStoredFiles(server), before);
  });

  await t.step("an endless body is refused at the first excess byte and closes", async () => {
    const upload = await requestUpload(1000);
    using connection = await connect(server.port);
    await connection.write(head(upload.path, CHUNKED));
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
    let sent = 0;
    while (connection.received() === "" && await connection.write(chunk)) sent += 1024;
    const answer = await connection.answer();
    assert.deepEqual([answer.status, JSON.parse(answer.body).code], [413, "UPLOAD_TOO_LONG"]);
    assert.ok(sent < 64 * MiB, `${sent} bytes were accepted`);
    const raw = await exchange(server.port, head(upload.path, "content-length: 1001"));
    assert.equal(raw.status, 413);
    assert.match(raw.head, /^connection: close$/im);
  });

  await t.step("a large body that is refused unread gets a response", async () => {
    const [upload, body] = [await requestUpload(), new Uint8Array(5 * MiB)];
    const forged = { ...upload, path: `${upload.path.slice(0, -3)}AAA` };
    assert.equal((await put(server, forged, body)).code, "UPLOAD_TOKEN_INVALID");
    assert.equal((await put(server, upload, body, "text/html")).code, "UPLOAD_TYPE_MISMATCH");
    assert.equal((await put(server, upload, body)).code, "UPLOAD_TOO_LONG");
  });

  await t.step("two content types are refused", async () => {
    const upload = await requestUpload();
    const bytes = head(upload.path, "content-length: 10", `content-type: ${TYPE}`) + "0123456789";
    assert.equal((await exchange(server.port, bytes)).status, 415);
  });

  await t.step("a slow upload succeeds and delays no other", async () => {
    const [slow, other] = [await requestUpload(), await requestUpload()];
    const connection = await startUpload(server, slow, "5\r\nhello\r\n");
    assert.equal((await put(server, other, "0123456789")).status, 200);
    for (const letter of "world") await connection.write(`1\r\n${letter}\r\n`);
    await connection.write("0\r\n\r\n");
    assert.equal((await connection.answer()).status, 200);
    connection[Symbol.dispose]();
    const { body } = await confirm(server, project, slow);
    const file = await send(server, { path: new URL(body.url).pathname });
    assert.equal(file.text, "helloworld");
  });

  await t.step(
    "of 20 concurrent uploads to one address exactly one is stored, complete",
    async () => {
      const upload = await requestUpload(100_000);
      const letters = [..."abcdefghijklmnopqrst"];
      const answers = await Promise.all(
        letters.map((letter) => put(server, upload, letter.repeat(100_000))),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      assert.ok(
        statuses.has(200) && statuses.isSubsetOf(new Set([200, 429])),
        [...statuses].join(),
      );
      const { body } = await confirm(server, project, upload);
      const { text } = await send(server, { path: new URL(body.url).pathname });
      assert.equal(text, text[0]!.repeat(100_000));
    },
  );

  await t.step(
    "concurrent uploads and confirms of one address make one complete, permanent file",
    async () => {
      const upload = await requestUpload(1000);
      const letters = [..."abcdefgh"];
      const [, confirms] = await Promise.all([
        Promise.all(letters.map((letter) => put(server, upload, letter.repeat(1000)))),
        Promise.all(letters.map(() => confirm(server, project, upload))),
      ]);
      for (const { status } of confirms) assert.ok([200, 409].includes(status), String(status));
      const last = await confirm(server, project, upload);
      assert.equal(last.status, 200, last.text);
      const path = new URL(last.body.url).pathname;
      const { text } = await send(server, { path });
      assert.equal(text, text[0]!.repeat(1000));
      assert.equal((await put(server, upload, "z".repeat(1000))).code, "UPLOAD_FINISHED");
      assert.equal((await send(server, { path })).text, text);
    },
  );

  await t.step(
    "uploads that are deleted in progress reserve no space",
    async () => {
      const connections: RawConnection[] = [];
      for (let i = 0; i < 8; i++) {
        const upload = await requestUpload(2 * MiB);
        const connection = await connect(server.port);
        connections.push(connection);
        await connection.write(head(upload.path, `content-length: ${2 * MiB}`));
        await connection.write(new Uint8Array(MiB));
        await until(
          "the upload is in progress",
          async () => (await countStoredBytes(server)) >= MiB,
        );
        const { secretKey: key } = project;
        const removed = await send(server, {
          method: "DELETE",
          path: "/api/storage/file",
          key,
          body: { path: upload.filePath },
        });
        assert.equal(removed.status, 200, removed.text);
        await until("no file remains", async () => (await countStoredBytes(server)) < MiB);
        assert.equal((await connection.answer()).status, 409);
      }
      for (const connection of connections) connection[Symbol.dispose]();
    },
  );

  await t.step("an address of one project is refused in another", async () => {
    const other = await createProject(server.settings);
    const upload = await requestUpload();
    assert.equal((await put(server, upload, "0123456789")).status, 200);
    assert.equal((await confirm(server, other, upload)).body.code, "FILE_NOT_FOUND");
    const foreign = upload.filePath.replace(project.projectId, other.projectId);
    assert.equal((await send(server, { path: `/files/${foreign}` })).status, 404);
    assert.equal((await send(server, { path: `/files/${upload.filePath}` })).status, 404);
  });

  await t.step("no attack leaves files, and no token is in the log", async () => {
    const left = (await listStoredFiles(server)).filter((path) => path.includes("/_partial/"));
    assert.deepEqual(left, []);
    const { stdout, stderr } = await server.stop();
    for (const token of tokens) assert.ok(!(stdout + stderr).includes(token.slice(0, 60)));
    assert.match(stdout, /"operation":"putBlob"/);
    assert.doesNotMatch(stdout, /"level":"error"/);
  });
});
