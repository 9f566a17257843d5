import assert from "node:assert/strict";
import { fileBytes } from "../support/file_bytes.ts";
import { openTestApp } from "../support/test_app.ts";
import { textBytes, uploadFile } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { get, head, partsOf } from "./served.ts";

Deno.test("a file is sent with its name in a form that every client can read", async () => {
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
    const path = await uploadFile(files, textBytes("x"), "text/plain", name);
    const { headers } = await get(app, path);
    assert.equal(headers.get("content-disposition"), expected);
  }
});

const RUNNABLE_TYPES = [
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

Deno.test("a type that a page would run or apply is served as application/octet-stream", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of RUNNABLE_TYPES) {
    const path = await uploadFile(files, textBytes("alert(1)"), type);
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

Deno.test("type parameters are sent, unless a comma in them could be misread", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const types: Readonly<Record<string, string>> = {
    "video/webm;codecs=vp8,opus": "video/webm",
    'video/webm; codecs="vp8, opus"': "video/webm",
    "Video/MP4 ;codecs=avc1.42E01E,mp4a.40.2": "Video/MP4",
    'audio/webm; codecs="opus"': 'audio/webm; codecs="opus"',
    "audio/ogg;codecs=opus": "audio/ogg;codecs=opus",
    "text/html;a=b,c": "text/html",
    "text/css;a=b,c": "application/octet-stream",
  };
  for (const [type, expected] of Object.entries(types)) {
    const path = await uploadFile(files, recordedBytes(type), type);
    const { headers } = await get(app, path);
    assert.equal(headers.get("content-type"), expected, type);
    const isMedia = /^(?:audio|video)/i.test(type);
    const [disposition] = headers.get("content-disposition")!.split(";");
    assert.equal(disposition, isMedia ? "inline" : "attachment", type);
    const info = await files.info(path);
    assert.equal(info.body.data.contentType, type, "the type is stored as it was sent");
  }
});

const OGG = `OggS\0\x02${"\0".repeat(22)}\x01\x13OpusHead`;

function recordedBytes(type: string): Uint8Array<ArrayBuffer> {
  if (!type.startsWith("audio/ogg")) return fileBytes(type, 60);
  return Uint8Array.from(OGG, (sign) => sign.charCodeAt(0));
}

const PAGE_TYPES = [
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

Deno.test("a file that a browser would open as a page is a sandboxed attachment", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of PAGE_TYPES) {
    const path = await uploadFile(files, textBytes("<script>alert(1)</script>"), type, "page");
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

const PASSIVE_TYPES = ["image/png", "text/plain; charset=utf-8", "application/json", "video/mp4"];

/** Types that some browsers or their extensions may open and run. */
const UNCERTAIN_TYPES = [
  "application/pdf",
  "application/octet-stream",
  "application/x-shockwave-flash",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];

/** Returns valid content for a type that the test client parses. */
const bytesOf = (type: string) =>
  type === "application/json" ? textBytes("1") : fileBytes(type, 20);

Deno.test("types known to be harmless are shown inline, all others are attachments", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of [...PASSIVE_TYPES, ...UNCERTAIN_TYPES]) {
    const { headers } = await get(app, await uploadFile(files, bytesOf(type), type));
    assert.equal(headers.get("content-type"), type);
    const isPassive = PASSIVE_TYPES.includes(type);
    const [disposition] = headers.get("content-disposition")!.split(";");
    assert.equal(disposition, isPassive ? "inline" : "attachment", type);
    assert.equal(headers.get("content-security-policy") === null, isPassive);
  }
});

Deno.test("only at a separate files host, files are shown inline unless they would be pages", async () => {
  const host = "files.example:8443";
  await using app = await openTestApp({ env: { FILES_URL: `https://${host}` } });
  const files = await openFiles(app);
  const dispositionOf = async (path: string, headers: Record<string, string>) =>
    (await get(app, path, headers)).headers.get("content-disposition")!.split(";")[0];
  for (const type of [...PASSIVE_TYPES, ...UNCERTAIN_TYPES, "text/css"]) {
    const path = await uploadFile(files, bytesOf(type), type);
    assert.equal(await dispositionOf(path, { host }), "inline", type);
    if (PASSIVE_TYPES.includes(type)) continue;
    for (const other of ["localhost:8000", "files.example", "other.example:8443"]) {
      assert.equal(await dispositionOf(path, { host: other }), "attachment", type);
    }
  }
  for (const type of ["text/html", "image/svg+xml"]) {
    const path = await uploadFile(files, textBytes("1"), type);
    assert.equal(await dispositionOf(path, { host }), "attachment", type);
  }
});

Deno.test("another port of the dashboard's host is not a separate files host", async () => {
  await using app = await openTestApp({ env: { FILES_URL: "http://localhost:9000" } });
  const path = await uploadFile(
    await openFiles(app),
    fileBytes("application/pdf", 20),
    "application/pdf",
  );
  const { headers } = await get(app, path, { host: "localhost:9000" });
  assert.match(headers.get("content-disposition")!, /^attachment; /);
});
