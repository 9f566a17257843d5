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

/** Every file of the folder that Corbel keeps files in. */
async function kept(server: Server, at = "/files"): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(server.store.folder + at)) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory) found.push(...await kept(server, path));
      else found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}

/** Bytes of what lies half arrived. */
async function bytesKept(server: Server): Promise<number> {
  let bytes = 0;
  for (const path of await kept(server, "/files/_partial")) {
    bytes += await Deno.stat(server.store.folder + path).then(({ size }) => size, () => 0);
  }
  return bytes;
}

/** Sends the beginning of an upload, and waits until some of it lies on the disk. */
async function begin(server: Server, { path }: Upload, rest: string): Promise<RawConnection> {
  const before = (await kept(server)).length;
  const connection = await connect(server.port);
  await connection.write(
    head(path, rest.startsWith("5\r\n") ? CHUNKED : "content-length: 10") + rest,
  );
  await until("the upload begins", async () => (await kept(server)).length > before);
  return connection;
}

const CHUNKED = "transfer-encoding: chunked";

Deno.test("attacks by uploads", async (t) => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const make = (size = 10) => request(server, project, size);
  const tokens: string[] = [];
  const made = async (size?: number) => {
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
        `${what}, and the client ${way}: no file stays, and the address is good`,
        async () => {
          const upload = await made();
          const before = await kept(server);
          const connection = await begin(server, upload, rest);
          if (way === "ends") connection.end();
          else connection[Symbol.dispose]();
          const gone = async () => (await kept(server)).length === before.length;
          await until("nothing stays", gone);
          connection[Symbol.dispose]();
          assert.equal((await confirm(server, project, upload)).body.code, "UPLOAD_NOT_READY");
          assert.equal((await put(server, upload, "0123456789")).status, 200);
        },
      );
    }
  }

  await t.step("a malformed or doubled length is refused before anything is written", async () => {
    const upload = await made();
    const before = await kept(server);
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
    assert.deepEqual(await kept(server), before);
  });

  await t.step("a body without an end is refused at the byte beyond, and closes", async () => {
    const upload = await made(1000);
    using connection = await connect(server.port);
    await connection.write(head(upload.path, CHUNKED));
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
    let sent = 0;
    while (connection.received() === "" && await connection.write(chunk)) sent += 1024;
    const answer = await connection.answer();
    assert.deepEqual([answer.status, JSON.parse(answer.body).code], [413, "UPLOAD_TOO_LONG"]);
    assert.ok(sent < 64 * MiB, `${sent} bytes were taken`);
    const raw = await exchange(server.port, head(upload.path, "content-length: 1001"));
    assert.equal(raw.status, 413);
    assert.match(raw.head, /^connection: close$/im);
  });

  await t.step("a large body that is refused unread is told why", async () => {
    const [upload, body] = [await made(), new Uint8Array(5 * MiB)];
    const forged = { ...upload, path: `${upload.path.slice(0, -3)}AAA` };
    assert.equal((await put(server, forged, body)).code, "UPLOAD_TOKEN_INVALID");
    assert.equal((await put(server, upload, body, "text/html")).code, "UPLOAD_TYPE_MISMATCH");
    assert.equal((await put(server, upload, body)).code, "UPLOAD_TOO_LONG");
  });

  await t.step("two content types are not one", async () => {
    const upload = await made();
    const bytes = head(upload.path, "content-length: 10", `content-type: ${TYPE}`) + "0123456789";
    assert.equal((await exchange(server.port, bytes)).status, 415);
  });

  await t.step("an upload that trickles ends well, and holds nobody up", async () => {
    const [slow, other] = [await made(), await made()];
    const connection = await begin(server, slow, "5\r\nhello\r\n");
    assert.equal((await put(server, other, "0123456789")).status, 200);
    for (const letter of "world") await connection.write(`1\r\n${letter}\r\n`);
    await connection.write("0\r\n\r\n");
    assert.equal((await connection.answer()).status, 200);
    connection[Symbol.dispose]();
    const { body } = await confirm(server, project, slow);
    const file = await send(server, { path: new URL(body.url).pathname });
    assert.equal(file.text, "helloworld");
  });

  await t.step("of 20 uploads at once to one address the file is one of them, whole", async () => {
    const upload = await made(100_000);
    const letters = [..."abcdefghijklmnopqrst"];
    const answers = await Promise.all(
      letters.map((letter) => put(server, upload, letter.repeat(100_000))),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    assert.ok(statuses.has(200) && statuses.isSubsetOf(new Set([200, 429])), [...statuses].join());
    const { body } = await confirm(server, project, upload);
    const { text } = await send(server, { path: new URL(body.url).pathname });
    assert.equal(text, text[0]!.repeat(100_000));
  });

  await t.step(
    "uploads and confirms of one address at once: one file, whole, that stays",
    async () => {
      const upload = await made(1000);
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
    "uploads that are deleted while they are under way leave no room taken",
    async () => {
      const connections: RawConnection[] = [];
      for (let i = 0; i < 8; i++) {
        const upload = await made(2 * MiB);
        const connection = await connect(server.port);
        connections.push(connection);
        await connection.write(head(upload.path, `content-length: ${2 * MiB}`));
        await connection.write(new Uint8Array(MiB));
        await until("it is under way", async () => (await bytesKept(server)) >= MiB);
        const { secretKey: key } = project;
        const removed = await send(server, {
          method: "DELETE",
          path: "/api/storage/file",
          key,
          body: { path: upload.filePath },
        });
        assert.equal(removed.status, 200, removed.text);
        await until("nothing is left", async () => (await bytesKept(server)) < MiB);
        assert.equal((await connection.answer()).status, 409);
      }
      for (const connection of connections) connection[Symbol.dispose]();
    },
  );

  await t.step("an address of one project does nothing in another", async () => {
    const other = await createProject(server.settings);
    const upload = await made();
    assert.equal((await put(server, upload, "0123456789")).status, 200);
    assert.equal((await confirm(server, other, upload)).body.code, "FILE_NOT_FOUND");
    const foreign = upload.filePath.replace(project.projectId, other.projectId);
    assert.equal((await send(server, { path: `/files/${foreign}` })).status, 404);
    assert.equal((await send(server, { path: `/files/${upload.filePath}` })).status, 404);
  });

  await t.step("nothing is left of any of it, and no token stands in the log", async () => {
    const left = (await kept(server)).filter((path) => path.includes("/_partial/"));
    assert.deepEqual(left, []);
    const { stdout, stderr } = await server.stop();
    for (const token of tokens) assert.ok(!(stdout + stderr).includes(token.slice(0, 60)));
    assert.match(stdout, /"operation":"putBlob"/);
    assert.doesNotMatch(stdout, /"level":"error"/);
  });
});
