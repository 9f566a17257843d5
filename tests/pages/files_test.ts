import assert from "node:assert/strict";
import { partialPaths, streamOf } from "../api/blobs.ts";
import { MiB, openFiles } from "../api/files.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { storage } from "../support/test_store.ts";
import { FORM_TYPE, formBytes, sendForm } from "./file_forms.ts";
import { ok } from "../api/test_collection.ts";
import { type Fixture, openFilesPage } from "./files_fixture.ts";

async function read({ app, files }: Fixture, filename: string): Promise<string | null> {
  const row = (await files.rows()).find((row) => row.filename === filename);
  if (row?.state !== "confirmed") return null;
  const stream = await app.services.blobStores.internal.read("stored", row.path);
  return stream && await new Response(stream).text();
}

Deno.test("without files the page says what to do, and how much space there is", async () => {
  await using fixture = await openFilesPage();
  const page = await fixture.pages.get(fixture.path);
  assert.match(page.words, /No files so far/);
  assert.match(page.words, /Used 0 bytes of 20 MB/);
  assert.match(page.words, /up to 10 MB/);
  const form = page.document.querySelector("file-drop form")!;
  assert.equal(form.getAttribute("enctype"), "multipart/form-data");
  assert.equal(form.getAttribute("hx-boost"), "false");
});

Deno.test("a file is made private and public by its form, and members can open a private one", async () => {
  await using fixture = await openFilesPage();
  const { app, files, pages, path } = fixture;
  const { filePath } = await files.upload(700, "image/png", "cat.png");
  const first = await pages.get(path);
  const hidden = await pages.fill(first, "Make private");
  assert.equal(hidden.location, `${path}?done=private`);
  const page = await pages.follow(hidden);
  assert.match(page.words, /The file is private/);
  const thumbnail = page.document.querySelector("main img")!.getAttribute("src")!;
  assert.match(thumbnail, /\?expires=\d+&signature=[^&]+&h=256&format=auto$/);
  const again = (await pages.get(path)).document.querySelector("main img")!;
  assert.equal(
    again.getAttribute("src"),
    thumbnail,
    "its address stays the same, which lets browsers cache it",
  );
  const link = page.document.querySelector(".tile a")!.getAttribute("href")!;
  const { status, location } = await pages.get(link);
  assert.equal(status, 303);
  assert.ok(new URL(location!).pathname.includes(filePath));
  const account = await openAccount(app);
  await joinProject(app.services, files.project.projectId, account.accountId, "viewer");
  const viewer = openDashboard(app, account);
  assert.equal((await viewer.get(link)).status, 303);
  assert.equal((await viewer.get(path)).document.querySelector(".tile form"), null);
  const change = { path: filePath, visibility: "public" };
  assert.equal((await viewer.submit(`${path}/visibility`, change)).status, 403);
  assert.equal((await pages.get(`${path}/open?path=x`)).status, 404);
  const wrong = await pages.submit(`${path}/visibility`, { ...change, visibility: "all" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.words, /"visibility" must be public or private/);
  const shown = await pages.follow(await pages.fill(page, "Make public"));
  assert.match(shown.words, /The file is public/);
  assert.ok(shown.document.querySelector("main img"));
});

Deno.test("files are shown with their pictures, page by page, and deleted after a question", async () => {
  await using fixture = await openFilesPage();
  const { files, pages, path } = fixture;
  for (let i = 0; i < 50; i++) await files.upload(10 + i, "text/plain", `note${i}.txt`);
  const picture = await files.upload(700, "image/png", "cat.png");
  const drawing = await files.upload(800, "image/svg+xml", "drawing.svg");
  const first = await pages.get(path);
  assert.equal([...first.document.querySelectorAll(".tile")].length, 48);
  const shown = [...first.document.querySelectorAll("main img")];
  assert.equal(shown.length, 1, "files with scripts are not shown");
  const { pathname, search } = new URL(shown[0]!.getAttribute("src")!);
  assert.ok(pathname.endsWith(picture.filePath));
  assert.equal(search, "?h=256&format=auto", "thumbnails are loaded in a small size");
  const copy = first.document.querySelector(".tile copy-text")!;
  assert.ok(copy.getAttribute("text")!.endsWith(drawing.filePath), "the newest comes first");
  const next = [...first.document.querySelectorAll(".pages a")].at(-1)!.getAttribute("href")!;
  const second = await pages.get(next);
  assert.equal([...second.document.querySelectorAll(".tile")].length, 4);
  const refused = await pages.get(`${path}?cursor=x`);
  assert.equal(refused.status, 400);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /cursor/);

  const { used } = await files.usage();
  const ask = first.document.querySelector(".tile details.ask")!;
  assert.match(ask.textContent, /gone for good/);
  const target = ask.querySelector("[name=path]")!.getAttribute("value")!;
  assert.equal(target, drawing.filePath);
  const deleted = await pages.submit(`${path}/delete`, { path: target });
  assert.equal(deleted.location, `${path}?done=deleted`);
  assert.equal((await files.usage()).used, used - 800);
  const again = await pages.submit(`${path}/delete`, { path: target });
  assert.equal(again.status, 404);
  assert.match(again.document.querySelector("[role=alert]")!.textContent, /no such file/);
  assert.equal((await pages.get(`${path}/delete`)).location, path, "a reload shows the page");
});

Deno.test("the page of a file shows its facts, its sizes, and the documents that use it", async () => {
  await using fixture = await openFilesPage();
  const { files: { project, ...files }, pages, path } = fixture;
  const { filePath } = await files.upload(700, "image/png", "cat.png");
  const details = `${path}/details?${new URLSearchParams({ path: filePath })}`;
  const unused = await pages.get(details);
  assert.match(unused.words, /No document holds it/);
  assert.match(unused.words, /image\/png, 700 bytes/);
  for (const width of [320, 640, 1280]) {
    assert.ok(unused.words.includes(`${filePath}?w=${width}&format=auto`));
  }
  await project.collection({
    name: "albums",
    fields: [
      { key: "cover", type: "String", file: true },
      { key: "pages", type: "Array", items: { type: "String" }, file: true },
    ],
    rls: { mode: "public-read" },
  });
  const create = async (body: object): Promise<string> =>
    ok(await project.asSecret({ method: "POST", path: "/api/data/albums", body }), 201)._id;
  await create({ cover: filePath, pages: [filePath] });
  await create({ cover: filePath });
  const deletedId = await create({ cover: filePath });
  ok(await project.asSecret({ method: "DELETE", path: `/api/data/albums/${deletedId}` }));
  const used = await pages.get(details);
  assert.match(used.words, /2 documents of albums in cover, and 1 in the trash/);
  assert.match(used.words, /1 document of albums in pages/);
  const links = [...used.document.querySelectorAll("main li a")];
  for (const [i, count] of [2, 1].entries()) {
    const grid = await pages.get(links[i]!.getAttribute("href")!);
    assert.equal([...grid.document.querySelectorAll("tbody tr")].length, count);
  }
  const others = await openFiles(fixture.app);
  const foreign = await others.upload();
  for (const other of [foreign.filePath, "x", ""]) {
    const { status } = await pages.get(`${path}/details?${new URLSearchParams({ path: other })}`);
    assert.equal(status, 404, other);
  }
});

Deno.test("a file of another project is not deleted", async () => {
  await using fixture = await openFilesPage();
  const others = await openFiles(fixture.app);
  const { filePath } = await others.upload();
  const refused = await fixture.pages.submit(`${fixture.path}/delete`, { path: filePath });
  assert.equal(refused.status, 404);
  assert.equal((await others.rows()).length, 1);
});

Deno.test("a form's file is stored, whatever its content and its pieces", async () => {
  await using fixture = await openFilesPage();
  const { owner, path, files } = fixture;
  const text = "one\r\n\r\ntwo\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\nthree";
  for (const piece of [1, 7, 64, 1000]) {
    const filename = `grüße ${piece}.txt`;
    const body = formBytes({ filename, contentType: "text/plain;charset=utf-8", content: text });
    const answer = await sendForm(owner, path, body, { piece });
    assert.deepEqual([answer.status, answer.headers.get("location")], [
      303,
      `${path}?done=uploaded`,
    ]);
    assert.equal(await read(fixture, filename), text);
  }
  const rows = await files.rows();
  assert.ok(rows.every(({ contentType }) => contentType === "text/plain;charset=utf-8"));
  const typeless = formBytes({ filename: "x", contentType: null, content: "y" });
  assert.equal((await sendForm(owner, path, typeless)).status, 303);
  assert.deepEqual(await partialPaths(files), []);
  assert.deepEqual((await files.objects()).staged, []);
});

Deno.test("a file that is too large or exceeds the quota is refused before it is read", async () => {
  await using fixture = await openFilesPage();
  const { owner, path, files } = fixture;
  const body = formBytes({ filename: "big.bin", content: new Uint8Array(3 * 65_536) });
  const piece = 65_536;
  await files.untouched(async () => {
    const refused = await sendForm(owner, path, body, { length: 11 * MiB, piece });
    assert.equal(refused.status, 413);
    assert.match(refused.text, /role="alert"[^>]*>The file is larger than/);
    assert.equal(refused.pulled, 1, "no more than its head was read");
  });
  await files.upload(10 * MiB);
  await files.request(9 * MiB);
  await files.untouched(async () => {
    const refused = await sendForm(owner, path, body, { length: 2 * MiB, piece });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /no room for this file/);
    assert.equal(refused.pulled, 1);
  });
});

Deno.test({
  name: "a form's file is written to the folder while it arrives, and is not buffered",
  ignore: storage !== "disk", // A bucket shows an object only after it was sent completely.
  fn: async () => {
    await using fixture = await openFilesPage();
    const { app, owner, path, files } = fixture;
    const piece = 65_536;
    const body = formBytes({ filename: "large.bin", content: new Uint8Array(50 * piece) });
    const sizesOnDisk: number[] = [];
    const stream = streamOf(async (index) => {
      const part = body.slice(index * piece, (index + 1) * piece);
      if (part.length === 0) return null;
      const page = { prefix: "", after: null, limit: 1 };
      const { blobs: [arrived] } = await app.services.blobStores.internal.list("partial", page);
      if (arrived !== undefined) sizesOnDisk.push(index * piece - arrived.bytes);
      return part;
    });
    const answer = await owner.send({
      method: "POST",
      path,
      body: stream,
      headers: { "content-type": FORM_TYPE, "content-length": String(body.length) },
    });
    assert.equal(answer.status, 303);
    assert.ok(sizesOnDisk.length >= 45, `seen ${sizesOnDisk.length} times`);
    assert.ok(Math.max(...sizesOnDisk) <= 4 * piece, `${Math.max(...sizesOnDisk)} bytes were held`);
    assert.equal((await files.rows()).length, 1);
  },
});

Deno.test("an interrupted upload leaves nothing", async () => {
  await using fixture = await openFilesPage();
  const { owner, path, files } = fixture;
  const body = formBytes({ filename: "cut.bin", content: new Uint8Array(300_000).fill(7) });
  await files.upload(); // Creates the record of the sums.
  await files.untouched(async () => {
    for (const length of [200, 100_000, body.length - 60]) {
      const cut = await sendForm(owner, path, body.slice(0, length), {
        length: body.length,
        piece: 50_000,
      });
      assert.equal(cut.status, 400, String(length));
      assert.match(cut.text, /Fewer bytes arrived/);
    }
  });
  assert.deepEqual(await partialPaths(files), []);
});

Deno.test("a malformed form is refused next to the form, and leaves nothing", async () => {
  await using fixture = await openFilesPage();
  const { owner, path, files } = fixture;
  const body = formBytes({ filename: "a.txt", content: "abc" });
  const text = new TextDecoder().decode(body);
  const sent = (changed: string) => sendForm(owner, path, new TextEncoder().encode(changed));
  await files.upload();
  await files.untouched(async () => {
    const wrong: [string, Promise<{ status: number; text: string }>, number][] = [
      ["no length", sendForm(owner, path, body, { length: null }), 400],
      ["too short a length", sendForm(owner, path, body, { length: 20 }), 400],
      ["a field only", sent(text.replace(/; filename="[^"]*"/, "")), 400],
      ["no name", sent(text.replace('filename="a.txt"', 'filename=""')), 400],
      ["another end", sent(text.replace("0gW--\r\n", "0gX--\r\n")), 400],
      ["no head", sent(text.replaceAll("\r\n\r\n", "\r\n")), 400],
      ["no end of its head", sent("x".repeat(20_000)), 400],
      ["another type", sent(text.replace("text/plain", "plain")), 400],
      ["no form", sendForm(owner, path, body, { type: "text/plain" }), 415],
      ["no boundary", sendForm(owner, path, body, { type: "multipart/form-data" }), 415],
    ];
    for (const [what, sent, status] of wrong) {
      const answer = await sent;
      assert.equal(answer.status, status, `${what}: ${answer.text}`);
      assert.match(answer.text, /role="alert"/, what);
    }
  });
  assert.deepEqual(await partialPaths(files), []);
});

Deno.test("names and types of files are shown as text", async () => {
  await using fixture = await openFilesPage();
  const { files, pages, path, owner } = fixture;
  for (const filename of HOSTILE_TEXTS) await files.upload(5, 'text/html;x="<script>"', filename);
  const page = await pages.get(path);
  for (const filename of HOSTILE_TEXTS) assert.ok(page.words.includes(filename), filename);
  assertHarmless(page);
  const body = formBytes({ filename: "<script>x</script>", contentType: "<i>", content: "a" });
  const refused = await sendForm(owner, path, body);
  assert.equal(refused.status, 400);
  assert.ok(!refused.text.includes("<i>"));
});

Deno.test("a viewer cannot change files, and strangers find nothing", async () => {
  await using fixture = await openFilesPage();
  const { app, files, path } = fixture;
  const { filePath } = await files.upload();
  const viewer = await openAccount(app);
  await joinProject(app.services, files.project.projectId, viewer.accountId, "viewer");
  const pages = openDashboard(app, viewer);
  const page = await pages.get(path);
  assert.match(page.words, /note\.txt/);
  assert.equal([...page.document.querySelectorAll("main form, main button")].length, 0);
  const body = formBytes({ filename: "a.txt", content: "abc" });
  await files.untouched(async () => {
    assert.equal((await pages.submit(`${path}/delete`, { path: filePath })).status, 403);
    assert.equal((await sendForm(viewer, path, body)).status, 403);
  });
  const stranger = await openAccount(app);
  assert.equal((await openDashboard(app, stranger).get(path)).status, 404);
  assert.equal((await sendForm(stranger, path, body)).status, 404);
});

Deno.test("another site cannot submit a form", async () => {
  await using fixture = await openFilesPage();
  const { owner, path, files } = fixture;
  const answer = await owner.send({
    method: "POST",
    path,
    body: formBytes({ filename: "a.txt", content: "abc" }),
    headers: { "content-type": "multipart/form-data; boundary=x", origin: "https://evil.example" },
  });
  assert.equal(answer.status, 403);
  assert.deepEqual(await files.rows(), []);
});
