import assert from "node:assert/strict";
import { createLog } from "@/lib/http/log.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { keepFile, put, textBytes } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { NOBODY, refused } from "./shelf.ts";

const TEXT = "0123456789";

const get = (app: TestApp, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  app.send({ path: `/files/${path}`, headers });

const head = (app: TestApp, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  app.send({ method: "HEAD", path: `/files/${path}`, headers });

/** A project with one confirmed file of {@linkcode TEXT}. */
async function openOne() {
  const app = await openTestApp();
  const files = await openFiles(app);
  return { app, files, path: await keepFile(files, textBytes(TEXT)) };
}

Deno.test("a confirmed file is served to everybody at the URL that confirm gave", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(TEXT.length);
  await put(app, upload, { body: textBytes(TEXT) });
  const { url } = (await files.confirm(upload)).body;
  assert.equal(url, `http://localhost:8000/files/${upload.filePath}`);
  const answer = await app.send({ path: new URL(url).pathname });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, TEXT);
  const uuid = upload.filePath.slice(25, 61);
  const expected = {
    "content-type": "text/plain",
    "content-length": "10",
    etag: `"${uuid}"`,
    "accept-ranges": "bytes",
    "cache-control": "public, max-age=31536000, immutable",
    "content-disposition": 'inline; filename="note.txt"',
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": null,
    vary: "Origin",
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(answer.headers.get(name), value, name);
  }
});

Deno.test("HEAD says all that GET says, and sends nothing", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const [whole, described] = [await get(app, path), await head(app, path)];
  assert.equal(described.status, 200);
  assert.equal(described.text, "");
  for (const [name, value] of whole.headers) {
    if (name !== "x-request-id") assert.equal(described.headers.get(name), value, name);
  }
  const ranged = await head(app, path, { range: "bytes=0-1" });
  assert.equal(ranged.status, 200, "ranges are for GET");
  assert.equal(ranged.headers.get("content-length"), "10");
});

Deno.test("FILE_NOT_FOUND: what is not confirmed, not there, not ours or no path", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const requested = await files.request();
  const staged = await files.request();
  await put(app, staged);
  const [projectId, name] = path.split("/");
  const paths = [
    requested.filePath,
    staged.filePath,
    `${(await app.project()).projectId}/${name}`,
    `${NOBODY}/${name}`,
    `${projectId!.toUpperCase()}/${name}`,
    `${projectId}/${name!.toUpperCase()}`,
    `${projectId}/${name}x`,
    `${projectId}/${name!.slice(0, -1)}`,
    `${projectId}/${name}.`,
    `_incoming/${name}`,
    `${projectId}/x`,
    `${projectId}/${name}%0A`.replace("%0A", "%20"),
    "x/y",
  ];
  for (const other of paths) {
    refused(await get(app, other), 404, "FILE_NOT_FOUND");
    assert.equal((await head(app, other)).status, 404);
    assert.equal((await get(app, other, { "if-none-match": "*" })).status, 404);
  }
  assert.equal((await get(app, path)).status, 200);
});

Deno.test("FILE_NOT_FOUND: at once when it was deleted, whoever held it", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const { headers } = await get(app, path);
  assert.equal((await files.remove(path)).status, 200);
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
  assert.equal((await head(app, path)).status, 404);
  refused(await get(app, path, { range: "bytes=0-1,4-5" }), 404, "FILE_NOT_FOUND");
  const ifNoneMatch = { "if-none-match": headers.get("etag")! };
  refused(await get(app, path, ifNoneMatch), 404, "FILE_NOT_FOUND");
  assert.equal((await get(app, path)).headers.get("cache-control"), "no-cache");
});

Deno.test("FILE_NOT_FOUND: an object of another length than its row is not served", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  await Deno.writeTextFile(`${app.store.folder}/files/${path}`, "short");
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
  refused(await get(app, path, { range: "bytes=0-1" }), 404, "FILE_NOT_FOUND");
});

Deno.test("FILE_NOT_FOUND: a file in a project's own bucket, and where a bucket serves", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const rows = app.services.engine.records<UploadRecord>(files.project.projectId, UPLOADS);
  const services = { ...app.services, localFiles: null };
  refused(await send(createApp(services), { path: `/files/${path}` }), 404, "FILE_NOT_FOUND");
  await rows.updateOne(eq("path", path), { set: { target: "elsewhere" } });
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
});

Deno.test("asking for files of projects that are none makes nothing", async () => {
  await using app = await openTestApp();
  const before = JSON.stringify([...Deno.readDirSync(app.store.folder)].map(({ name }) => name));
  const space = `${app.store.folder}/projects/${NOBODY}.db`;
  const name = `${crypto.randomUUID()}_a.txt`;
  refused(await get(app, `${NOBODY}/${name}`), 404, "FILE_NOT_FOUND");
  await assert.rejects(Deno.stat(space), Deno.errors.NotFound);
  const after = JSON.stringify([...Deno.readDirSync(app.store.folder)].map(({ name }) => name));
  assert.equal(after, before);
});

Deno.test("INVALID_PATH or 404, and never more, for paths that lead astray", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const [projectId, name] = path.split("/");
  const astray = [
    `${projectId}/../${path}`,
    `${projectId}/%2e%2e/${path}`,
    `..%2f${path}`,
    `${projectId}%2f${name}`,
    `${projectId}//${name}`,
    `${projectId}/./${name}`,
    `${projectId}/${name}%00`,
    `${projectId}/${name}%00.png`,
    `${projectId}/${name}%0a`,
    `${projectId}/${name}%e2%80%ae`,
    `${projectId}/${name}%`,
    `${projectId}/${name}%ff`,
    `${projectId}/${name}%5c`,
    `${projectId}/${"x".repeat(300)}`,
    `${projectId}/${name}/`,
    `${projectId}/${name}/x`,
    `${projectId}/CON`,
    `${projectId}/`,
    "",
    "..%2f..%2fcontrol.db",
    `../../control.db`,
  ];
  for (const other of astray) {
    const { status } = await app.send({ path: `/files/${other}` });
    assert.ok(status === 400 || status === 404, `${other}: ${status}`);
  }
});

Deno.test("who holds the file is told so: 304", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const etag = (await get(app, path)).headers.get("etag")!;
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    for (
      const answer of [
        await get(app, path, { "if-none-match": header, range: "bytes=0-1" }),
        await head(app, path, { "if-none-match": header }),
      ]
    ) {
      assert.equal(answer.status, 304, header);
      assert.equal(answer.text, "");
      assert.equal(answer.headers.get("etag"), etag);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    }
  }
  for (const header of ['"x"', etag.slice(1, -1), "", `"${etag}"`]) {
    assert.equal((await get(app, path, { "if-none-match": header })).status, 200, header);
  }
});

/** Part of the file, and where it lies. */
const ONE: Readonly<Record<string, readonly [string, string]>> = {
  "bytes=0-0": ["0", "0-0"],
  "bytes=2-4": ["234", "2-4"],
  "bytes=9-9": ["9", "9-9"],
  "bytes=5-": ["56789", "5-9"],
  "bytes=0-": [TEXT, "0-9"],
  "bytes=8-1000": ["89", "8-9"],
  "bytes=8-99999999999999999999999": ["89", "8-9"],
  "bytes=-1": ["9", "9-9"],
  "bytes=-4": ["6789", "6-9"],
  "bytes=-10": [TEXT, "0-9"],
  "bytes=-99999999999999999999999": [TEXT, "0-9"],
  "Bytes=1-1": ["1", "1-1"],
  "bytes= 1-1 ": ["1", "1-1"],
  "bytes=,1-1,,": ["1", "1-1"],
  "bytes=1-2,3-4": ["1234", "1-4"],
  "bytes=0-5,2-3": ["012345", "0-5"],
  "bytes=4-6,0-4": ["0123456", "0-6"],
  "bytes=1-2,20-30": ["12", "1-2"],
  "bytes=0-0,-10": [TEXT, "0-9"],
};

Deno.test("one range is one part, and ranges that touch are one", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const [range, [text, place]] of Object.entries(ONE)) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.text, text, range);
    assert.equal(answer.headers.get("content-range"), `bytes ${place}/10`, range);
    assert.equal(answer.headers.get("content-length"), String(text.length), range);
    assert.equal(answer.headers.get("content-type"), "text/plain");
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  }
});

/** The parts of a `multipart/byteranges` body, read as RFC 2046 says. */
function partsOf({ headers, text }: Answer): { head: string; body: string }[] {
  const [, boundary] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(
    headers.get("content-type")!,
  )!;
  assert.equal(Number(headers.get("content-length")), text.length);
  const [preamble, ...parts] = text.split(`\r\n--${boundary}`);
  assert.equal(preamble, "");
  assert.equal(parts.pop(), "--\r\n");
  return parts.map((part) => {
    const at = part.indexOf("\r\n\r\n");
    return { head: part.slice(2, at), body: part.slice(at + 4) };
  });
}

Deno.test("several ranges are parts of one answer, each with its type and place", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const range of ["bytes=0-1,4-5,-2", "bytes=-2, 4-5 ,0-1", "bytes=0-0,1-1,4-5,9-,8-8"]) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get("content-range"), null);
    const type = "content-type: text/plain\r\ncontent-range: bytes";
    assert.deepEqual(partsOf(answer), [
      { head: `${type} 0-1/10`, body: "01" },
      { head: `${type} 4-5/10`, body: "45" },
      { head: `${type} 8-9/10`, body: "89" },
    ]);
  }
});

Deno.test("RANGE_NOT_SATISFIABLE: beyond the end, malformed or too many, and never a crash", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const many = (count: number) => `bytes=${Array.from({ length: count }, () => "0-0").join()}`;
  const bad = [
    "bytes=10-",
    "bytes=10-20",
    "bytes=99999999999999999999-",
    "bytes=-0",
    "bytes=10-11,20-",
    "bytes=",
    "bytes=,",
    "bytes=-",
    "bytes=5",
    "bytes=5-2",
    "bytes=a-b",
    "bytes=1-2-3",
    "bytes=--1",
    "bytes=1-2;3-4",
    "bytes=0x1-2",
    "bytes=1.5-2",
    "bytes=1e1-",
    "bytes=+1-2",
    "bytes=0-1,x",
    "bytes=NaN-",
    many(51),
    many(5000),
    `bytes=${",".repeat(20_000)}`,
    `bytes=${"9".repeat(20_000)}-`,
  ];
  for (const range of bad) {
    const answer = await get(app, path, { range });
    refused(answer, 416, "RANGE_NOT_SATISFIABLE");
    assert.equal(answer.headers.get("content-range"), "bytes */10", range.slice(0, 40));
    assert.equal(answer.headers.get("cache-control"), "no-cache");
  }
  assert.equal((await get(app, path, { range: many(50) })).status, 206);
});

Deno.test("ranges of another unit are as if they were not there", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (
    const range of ["items=0-1", "", "0-1", "byte=0-1", "bytesx=0-1", "bytes 0-1", "seconds=1-"]
  ) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 200, range);
    assert.equal(answer.text, TEXT);
  }
});

Deno.test("If-Range: parts of this very file, else the whole", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const etag = (await get(app, path)).headers.get("etag")!;
  const asked = async (ifRange: string) =>
    (await get(app, path, { range: "bytes=0-1", "if-range": ifRange })).text;
  assert.equal(await asked(etag), "01");
  for (const other of [`W/${etag}`, '"x"', "*", "Wed, 21 Oct 2026 07:28:00 GMT", ""]) {
    assert.equal(await asked(other), TEXT, other);
  }
  const beyond = await get(app, path, { range: "bytes=99-", "if-range": '"x"' });
  assert.equal(beyond.status, 200, "a range that does not count cannot be refused");
});

Deno.test("large files are served in whole and in parts of any size", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const text = Array.from({ length: 60_000 }, (_, i) => String(i).padStart(5, "0")).join("");
  const path = await keepFile(files, textBytes(text));
  const whole = await get(app, path);
  assert.ok(whole.text === text);
  assert.equal(whole.headers.get("content-length"), "300000");
  for (const [first, last] of [[0, 65_535], [1, 65_537], [65_536, 299_999], [7, 7]]) {
    const answer = await get(app, path, { range: `bytes=${first}-${last}` });
    assert.ok(answer.text === text.slice(first, last! + 1), `${first}-${last}`);
  }
  const several = await get(app, path, { range: "bytes=0-99999,150000-150001,200000-" });
  const bodies = partsOf(several).map(({ body }) => body);
  assert.ok(
    bodies.join() ===
      [text.slice(0, 100_000), text.slice(150_000, 150_002), text.slice(200_000)].join(),
  );
});

Deno.test("a file's name comes with it, as every client can read it", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const names: Readonly<Record<string, string>> = {
    "Ein Bild.png": 'inline; filename="Ein Bild.png"',
    "Grüße.txt": "inline; filename=\"Gr__e.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt",
    'a"b\\c.txt': "inline; filename=\"a_b_c.txt\"; filename*=UTF-8''a%22b_c.txt",
    "../../etc/passwd": 'inline; filename=".._.._etc_passwd"',
    "a\r\nset-cookie: x=1": 'inline; filename="a__set-cookie_ x=1"; ' +
      "filename*=UTF-8''a__set-cookie%3A%20x%3D1",
    "\u202egnp.exe": 'inline; filename="_gnp.exe"',
    "100%.txt": "inline; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt",
    "it's (1)*.txt": "inline; filename=\"it's (1)_.txt\"; filename*=UTF-8''it%27s%20%281%29%2A.txt",
  };
  for (const [name, expected] of Object.entries(names)) {
    const path = await keepFile(files, textBytes("x"), "text/plain", name);
    const { headers } = await get(app, path);
    assert.equal(headers.get("content-disposition"), expected);
  }
});

const RUN = [
  "text/javascript",
  "application/javascript",
  "TEXT/JavaScript; charset=utf-8",
  "application/x-javascript",
  "text/ecmascript",
  "text/javascript1.5",
  "text/jscript",
  "text/livescript",
  "text/css",
  "text/css;charset=utf-8",
  "application/wasm",
  "multipart/x-mixed-replace",
];

Deno.test("what a page would run or apply is served without its type", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of RUN) {
    const path = await keepFile(files, textBytes("alert(1)"), type);
    for (const answer of [await get(app, path), await head(app, path)]) {
      assert.equal(answer.headers.get("content-type"), "application/octet-stream", type);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    }
    const several = await get(app, path, { range: "bytes=0-0,3-4" });
    assert.ok(
      partsOf(several).every(({ head }) => head.startsWith("content-type: application/octet")),
    );
  }
});

const OPEN = [
  "text/html",
  "TEXT/HTML",
  "text/html; charset=utf-7",
  "image/svg+xml",
  "IMAGE/SVG+XML;x=y",
  "text/xml",
  "application/xml",
  "application/xhtml+xml",
  "application/rss+xml",
  "application/mathml+xml",
  "text/xsl",
  "application/xslt+xml",
  "application/xml-dtd",
  "text/xml-external-parsed-entity",
];

Deno.test("what a browser would open as a page is an attachment that may do nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of OPEN) {
    const path = await keepFile(files, textBytes("<script>alert(1)</script>"), type, "page");
    const plain = await get(app, path);
    for (
      const answer of [plain, await head(app, path), await get(app, path, { range: "bytes=0-3" })]
    ) {
      assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="page"', type);
      const policy = answer.headers.get("content-security-policy")!;
      assert.match(policy, /(?:^|; )sandbox$/);
      assert.match(policy, /^default-src 'none';/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    }
    assert.equal(plain.headers.get("content-type"), type, "an <img> still shows an SVG");
  }
});

Deno.test("what is neither is shown with its own type", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const types = [
    "image/png",
    "text/plain; charset=utf-8",
    "application/pdf",
    "application/json",
    "video/mp4",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ];
  for (const type of types) {
    const { headers } = await get(app, await keepFile(files, textBytes("1"), type));
    assert.equal(headers.get("content-type"), type);
    assert.match(headers.get("content-disposition")!, /^inline; /);
    assert.equal(headers.get("content-security-policy"), null);
  }
});

Deno.test("pages of every origin may show and read a file, and caches keep them apart", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const origin of ["https://one.example", "https://two.example"]) {
    for (const answer of [await get(app, path, { origin }), await head(app, path, { origin })]) {
      assert.equal(answer.headers.get("access-control-allow-origin"), origin);
      assert.equal(answer.headers.get("vary"), "Origin");
      assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
    }
  }
  assert.equal((await get(app, path)).headers.get("vary"), "Origin");
});

Deno.test("files are not counted by rate limits", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "1" } });
  const path = await keepFile(await openFiles(app), textBytes(TEXT));
  for (let i = 0; i < 20; i++) assert.equal((await get(app, path)).status, 200);
});

Deno.test("FILES_URL is where the addresses of files lead", async () => {
  await using app = await openTestApp({ env: { FILES_URL: "https://files.example" } });
  const files = await openFiles(app);
  const upload = await files.upload();
  const { body } = await files.confirm(upload);
  assert.equal(body.url, `https://files.example/files/${upload.filePath}`);
});

Deno.test("STORAGE_UNAVAILABLE: a disk that fails is an opaque 503, told in the log", async () => {
  let logged = "";
  using log = createLog("error", (text) => void (logged += text));
  await using app = await openTestApp({ log });
  const path = await keepFile(await openFiles(app), textBytes(TEXT));
  const file = `${app.store.folder}/files/${path}`;
  await Deno.remove(file);
  await Deno.mkdir(file);
  const answer = await get(app, path);
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!answer.text.includes(app.store.folder));
  assert.match(logged, /Cannot read a file/);
});
