import assert from "node:assert/strict";
import { projectIdOf } from "@/lib/files/paths.ts";
import { UPLOADS } from "@/lib/files/uploads.ts";
import { withSteps } from "../support/with_steps.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  MiB,
  openFiles,
  REQUEST,
  sendOver,
  withChangedStores,
  withFailingStores,
} from "./files.ts";
import { refused } from "./test_collection.ts";

const uploadBody = (change: object = {}) => ({
  filename: "cat.png",
  contentType: "image/png",
  size: 12,
  ...change,
});

Deno.test("requestUpload returns an address and a path at the top level, and reserves the space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { status, body, headers } = await files.ask(uploadBody());
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.deepEqual(Object.keys(body), [
    ...["success", "signedUrl", "resumableUrl", "filePath"],
    ...["data", "message"],
  ]);
  assert.equal(body.success, true);
  const { signedUrl, resumableUrl, filePath } = body;
  assert.deepEqual(body.data, { signedUrl, resumableUrl, filePath });
  assert.match(body.signedUrl, /^https?:\/\//);
  assert.equal(projectIdOf(body.filePath), files.project.projectId);
  assert.match(body.filePath, /_cat\.png$/);
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 0, reserved: 12 });
  const [row] = await files.rows();
  assert.equal(row!.path, body.filePath);
  assert.equal(row!.state, "requested");
});

Deno.test("for any file name, the path has one safe segment after the project", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const names: Record<string, RegExp> = {
    "../../etc/passwd": /_\.\._\.\._etc_passwd$/,
    "..": /_\.\.$/,
    ".": /_\.$/,
    "/": /__$/,
    "a\\b": /_a_b$/,
    "CON": /_CON$/,
    "nul.txt": /_nul\.txt$/,
    "a%2e%2e%2fb": /_a_2e_2e_2fb$/,
    "photo\u202Egnp.exe": /_photo_gnp\.exe$/,
    "line\r\nbreak": /_line__break$/,
    " ": /__$/,
    "猫.png": /__\.png$/,
    "🐈.png": /__\.png$/,
    "<script>alert(1)</script>.svg": /_script_alert_1___script_\.svg$/,
    "?x=1#y": /__x_1_y$/,
    "__proto__": /___proto__$/,
    ["x".repeat(251) + ".png"]: /_x{96}\.png$/,
    ["🐈".repeat(255)]: /__{100}$/,
  };
  for (const [filename, expected] of Object.entries(names)) {
    const answer = await files.ask(uploadBody({ filename, size: 1 }));
    assert.equal(answer.status, 200, `${filename}: ${answer.text}`);
    const { filePath } = answer.body;
    assert.match(filePath, expected);
    assert.equal(projectIdOf(filePath), files.project.projectId, filePath);
    assert.ok(filePath.split("/").length === 2);
  }
  const kept = (await files.rows()).map(({ filename }) => filename);
  assert.deepEqual(kept, Object.keys(names), "the name is stored as it was sent");
});

Deno.test("two requests with one name are two files", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [one, two] = [await files.request(), await files.request()];
  assert.notEqual(one.filePath, two.filePath);
});

Deno.test("a missing or malformed member is a 400 that names it, and reserves nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const TYPES = "text html";
  const bad: Record<string, readonly unknown[]> = {
    filename: [undefined, null, "", 7, [], {}, true, "x".repeat(256), "🐈".repeat(256), "a\0b"],
    contentType: [
      ...[undefined, null, "", 7, [], "text", "/", "text/", "/html", TYPES, "text/html;", "a/b/c"],
      ...["text/html\r\nx-evil: 1", "text/html\n", "text/\0html", " text/html", "text/html "],
      ...["text/html; charset", 'text/html; a="b', "text/hüml", `text/${"x".repeat(96)}`],
      ...[
        "text/html; charset=utf-8, text/plain",
        "text/html;a=b,",
        "text/html;a=,b",
        "text/html,a",
      ],
    ],
    size: [
      ...[undefined, null, -1, 1.5, "12", "", "abc", [12], {}, true, 0.1, -1e300],
    ],
  };
  await files.untouched(async () => {
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        const answer = await files.ask(uploadBody({ [name]: value }));
        refused(answer, 400, "INVALID_UPLOAD", name);
        assert.equal(answer.body.error, answer.body.message);
      }
    }
    for (const body of ["[]", "null", "7", '"text"']) {
      const answer = await files.project.asSecret({ path: REQUEST, body });
      refused(answer, 400, "INVALID_BODY");
    }
    for (const size of ["NaN", "Infinity", "1_000", "0x10"]) {
      const body = `{"filename":"a","contentType":"a/b","size":${size}}`;
      refused(await files.project.asSecret({ path: REQUEST, body }), 400, "INVALID_JSON");
    }
    const lone = '{"filename":"a\\ud800","contentType":"a/b","size":1}';
    const answer = await files.project.asSecret({ path: REQUEST, body: lone });
    assert.equal(answer.status, 400, answer.text);
  });
});

/** Content types as browsers' MediaRecorder produces them. */
const RECORDED = [
  "video/webm;codecs=vp8,opus",
  "video/webm; codecs=vp9, opus",
  'video/webm; codecs="vp8, opus"',
  "video/mp4;codecs=avc1.42E01E,mp4a.40.2",
  "audio/webm;codecs=opus",
];

Deno.test("content types with parameters are accepted", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (
    const contentType of [
      "text/html",
      "text/plain;charset=utf-8",
      'multipart/mixed; boundary="a b;c"',
      "image/svg+xml",
      "application/vnd.api+json; ext=1; profile=x",
      "Text/HTML",
      ...RECORDED,
    ]
  ) {
    const answer = await files.ask(uploadBody({ contentType, size: 1 }));
    assert.equal(answer.status, 200, `${contentType}: ${answer.text}`);
  }
});

Deno.test("the maximum file size is accepted; one byte more is 413, and so is 1e300", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.untouched(async () => {
    for (const size of [10 * MiB + 1, Number.MAX_SAFE_INTEGER, 1e300]) {
      refused(await files.ask(uploadBody({ size })), 413, "FILE_TOO_LARGE", "10485760");
    }
  });
  assert.equal((await files.ask(uploadBody({ size: 10 * MiB }))).status, 200);
});

Deno.test("reservations count against the quota, which can be filled to the byte", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request(10 * MiB);
  await files.request(10 * MiB - 5);
  await files.untouched(async () => {
    refused(await files.ask(uploadBody({ size: 6 })), 403, "STORAGE_QUOTA_EXCEEDED");
  });
  await files.request(5);
  await files.untouched(async () => {
    const answer = await files.ask(uploadBody({ size: 1 }));
    refused(answer, 403, "STORAGE_QUOTA_EXCEEDED", "room");
    assert.equal(answer.body.error, answer.body.message);
  });
  const other = await openFiles(app);
  await other.request(10 * MiB);
});

Deno.test("expired reservations make room for the next request immediately", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request(10 * MiB);
  app.clock.advance(10 * 60_000);
  const kept = await files.request(10 * MiB);
  app.clock.advance(10 * 60_000 - 1);
  refused(await files.ask(uploadBody()), 403, "STORAGE_QUOTA_EXCEEDED");
  app.clock.advance(1);
  const fresh = await files.request(10 * MiB);
  const paths = (await files.rows()).map(({ path }) => path);
  assert.deepEqual(paths, [kept.filePath, fresh.filePath]);
  assert.equal((await files.usage()).reserved, 20 * MiB);
});

Deno.test("two requests that find expired reservations concurrently both get their space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request(10 * MiB);
  await files.request(10 * MiB);
  app.clock.advance(20 * 60_000);
  let isFirst = true;
  const services = withSteps(app.services, async (name) => {
    if (name !== `${UPLOADS.name}.list` || !isFirst) return;
    isFirst = false;
    await files.request(5);
  });
  const call = { path: REQUEST, body: uploadBody({ size: 7 }) };
  assert.equal((await sendOver(services, files.project, call)).status, 200);
  assert.equal((await files.usage()).reserved, 12);
});

Deno.test("a request prepared for a store that uploads no longer go to reserves nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.request();
  const former = withChangedStores(app.services, {}, "https://s3.example.com/former");
  await files.untouched(async () => {
    const answer = await sendOver(former, files.project, { path: REQUEST, body: uploadBody() });
    refused(answer, 503, "STORAGE_UNAVAILABLE");
  });
});

Deno.test("a publishable key cannot store files, with or without a user", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const user = await files.project.user();
  await files.untouched(async () => {
    for (const who of [undefined, user]) {
      const answer = await files.project.asPublic({ path: REQUEST, body: uploadBody() }, who);
      refused(answer, 403, "SECRET_KEY_REQUIRED");
      assert.equal(answer.body.error, answer.body.message);
    }
  });
});

Deno.test("while file storage is unavailable requestUpload is 503 and reserves nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.untouched(async () => {
    const call = { path: REQUEST, body: uploadBody() };
    const answer = await sendOver(withFailingStores(app.services), files.project, call);
    refused(answer, 503, "STORAGE_UNAVAILABLE");
    assert.ok(!answer.text.includes("detail"));
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  });
});

Deno.test("every refusal below /api/storage has its text in `error`, too, even on unknown paths", async () => {
  await using app = await openTestApp();
  const { project } = await openFiles(app);
  const answers = [
    await app.send({ path: REQUEST, body: uploadBody() }),
    await project.asSecret({ path: REQUEST, body: "{" }),
    await project.asSecret({ path: "/api/storage/nothing" }),
    await project.asSecret({ path: REQUEST, method: "PATCH", body: {} }),
  ];
  assert.deepEqual(answers.map(({ status }) => status), [401, 400, 404, 405]);
  for (const { body } of answers) assert.equal(body.error, body.message);
  const elsewhere = await project.asSecret({ path: "/api/data/none" });
  assert.equal(elsewhere.body.error, undefined);
});
