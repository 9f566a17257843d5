import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { browserTest, openBrowser } from "../support/browser.ts";
import { setCors } from "../support/bucket_rules.ts";
import { createTestBucket, hasS3 } from "../support/s3.ts";
import { storage } from "../support/test_store.ts";
import { createProject, type Project, send } from "./project.ts";
import { admin, type Server, startServer } from "./server.ts";
import { serveUploadSite } from "./upload_site.ts";

const STEP_MS = 30_000;
const UPLOAD_BYTES_PER_SECOND = 12 * 1_048_576;

/** A picture that is as large as it looks. */
function picture(width: number, height: number): Buffer {
  const head = 54;
  const bytes = Buffer.alloc(head + width * height * 4, 0x7f);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(head, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(32, 28);
  bytes.fill(0, 30, head);
  return bytes;
}

/** What a page asked for, and what it was told of the progress of its uploads. */
interface Watched {
  readonly page: Page;
  readonly requests: readonly { method: string; url: string; headers: Record<string, string> }[];
  readonly errors: readonly string[];
  /** The bytes that were told to be sent, each time. */
  progress(): Promise<number[]>;
}

/** Beside what the page itself does with them. */
const KEEP_STEPS = `
  globalThis.steps = [];
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) {
    this.upload.addEventListener("progress", ({ loaded }) => steps.push(loaded));
    return send.call(this, body);
  };
`;

async function watch(page: Page): Promise<Watched> {
  page.setDefaultTimeout(STEP_MS);
  // Browsers tell of progress every 50 ms: on this machine all would be over by then.
  const network = await page.context().newCDPSession(page);
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: UPLOAD_BYTES_PER_SECOND,
  });
  const requests: Watched["requests"][number][] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    requests.push({ method: request.method(), url: request.url(), headers: request.headers() });
  });
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.addInitScript(KEEP_STEPS);
  return { page, requests, errors, progress: () => page.evaluate<number[]>("steps") };
}

const choose = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
  page.getByLabel("Choose a file").setInputFiles({ name, mimeType, buffer });

/** Of an image in a page. */
interface ShownImage {
  readonly src: string;
  readonly naturalWidth: number;
  readonly naturalHeight: number;
  decode(): Promise<void>;
}

/** The picture in the list, once it is shown. */
async function shownPicture(page: Page, name: string) {
  const image = page.getByRole("img", { name });
  await image.waitFor();
  return await image.evaluate(async (element) => {
    const shown = element as unknown as ShownImage;
    await shown.decode();
    return { url: shown.src, width: shown.naturalWidth, height: shown.naturalHeight };
  });
}

const usageOf = async (server: Server, { secretKey: key }: Project) =>
  (await send(server, { path: "/api/storage/usage", key })).body.data;

/** What a script of the page is told of an answer from somewhere else; null if nothing. */
const askFrom = (page: Page, url: string, init: RequestInit = {}) =>
  page.evaluate(
    async ([url, init]) => {
      try {
        const response = await fetch(url, init);
        const { status, headers } = response;
        return { status, type: headers.get("content-type"), text: await response.text() };
      } catch {
        return null;
      }
    },
    [url, init] as const,
  );

browserTest(
  "the example uploads a picture with its progress, and shows it by its url",
  async (t) => {
    await using server = await startServer();
    const project = await createProject(server.settings);
    await using site = await serveUploadSite(server, project);
    await using browser = await openBrowser();
    const watched = await watch(await browser.page());
    const { page, requests } = watched;
    await page.goto(site.origin);
    const bytes = picture(1600, 1200);
    let url = "";

    await t.step("the bytes go to another origin, bit by bit, without any key", async () => {
      await choose(page, "Sunset.bmp", "image/bmp", bytes);
      const shown = await shownPicture(page, "Sunset.bmp");
      assert.deepEqual([shown.width, shown.height], [1600, 1200]);
      url = shown.url;
      assert.equal(await page.getByRole("status").innerText(), "Sunset.bmp is uploaded.");
      const put = requests.find(({ method }) => method === "PUT")!;
      assert.notEqual(new URL(put.url).origin, site.origin);
      assert.equal(put.headers["content-type"], "image/bmp");
      const steps = await watched.progress();
      assert.ok(steps.length > 2, `progress was told ${steps.length} times`);
      assert.deepEqual(steps, steps.toSorted((a, b) => a - b));
      assert.equal(steps.at(-1), bytes.length);
      assert.ok(steps[0]! < bytes.length, "it was told while bytes were under way");
      for (const { url, headers } of requests) {
        assert.ok(!JSON.stringify([url, headers]).includes("sk_live_"), `a key went to ${url}`);
      }
    });

    await t.step("the project is charged for it once", async () => {
      assert.partialDeepStrictEqual(await usageOf(server, project), {
        used: bytes.length,
        reserved: 0,
        provider: "internal",
      });
    });

    await t.step(
      "scripts of other origins read the file by GET and HEAD, and in parts",
      async () => {
        const head = await askFrom(page, url, { method: "HEAD" });
        assert.deepEqual(head, { status: 200, type: "image/bmp", text: "" });
        const part = await askFrom(page, url, { headers: { range: "bytes=0-1" } });
        assert.deepEqual([part?.status, part?.text], [206, "BM"]);
      },
    );

    await t.step("a file that is too large is refused before a byte of it is sent", async () => {
      const before = requests.length;
      await choose(page, "Large.bin", "application/octet-stream", Buffer.alloc(10 * 1_048_576 + 1));
      await page.locator("#message.alarm").waitFor();
      assert.match(await page.getByRole("status").innerText(), /larger/);
      assert.ok(requests.slice(before).every(({ method }) => method !== "PUT"));
      await page.getByLabel("Choose a file").waitFor({ state: "attached" });
      assert.equal((await usageOf(server, project)).reserved, 0);
    });

    await t.step("a file without a type is sent and linked, not shown", async () => {
      await choose(page, "notes", "", Buffer.from("plain"));
      const link = page.getByRole("link", { name: "notes" });
      await link.waitFor();
      const { origin, pathname } = new URL(
        (await link.getAttribute("href"))!,
      );
      assert.equal(origin, new URL(url).origin);
      assert.match(pathname, /notes$/);
    });

    // The refused request is told by the console as well.
    const others = watched.errors.filter((text) => !text.includes("413"));
    assert.deepEqual(others, []);
  },
);

browserTest(
  "an upload by fetch from another origin, and no other method or header, is let through",
  async () => {
    await using server = await startServer();
    const project = await createProject(server.settings);
    await using site = await serveUploadSite(server, project);
    await using browser = await openBrowser();
    const { page } = await watch(await browser.page());
    await page.goto(site.origin);
    const key = project.secretKey;
    const text = "sent by fetch";
    const asked = { filename: "a.txt", contentType: "text/plain", size: text.length };
    const { body: { signedUrl, filePath } } = await send(server, {
      path: "/api/storage/upload-request",
      key,
      body: asked,
    });
    const headers = { "content-type": "text/plain" };
    const put = { method: "PUT", headers, body: text };
    const withHeader = (name: string) => ({ ...put, headers: { ...headers, [name]: "x" } });
    // Of our own server every address lets the methods of the whole API through, and any header.
    if (storage === "s3") {
      const others = ["x-other", "authorization"].map(withHeader);
      for (const init of [{ method: "DELETE" }, { method: "POST" }, ...others]) {
        assert.equal(await askFrom(page, signedUrl, init), null, JSON.stringify(init));
      }
    }
    const sent = await askFrom(page, signedUrl, { method: "PUT", headers, body: text });
    assert.equal(sent?.status, 200);
    const { status, body } = await send(server, {
      path: "/api/storage/upload-confirm",
      key,
      body: { filePath, size: text.length },
    });
    assert.equal(status, 200);
    assert.equal((await askFrom(page, body.url))?.text, text);
  },
);

if (hasS3()) {
  browserTest(
    "pages upload to a project's own bucket from the origins that its rule names, and no others",
    async (t) => {
      await using bucket = await createTestBucket();
      await using server = await startServer({ settings: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
      const project = await createProject(server.settings);
      const { endpoint, accessKeyId, secretAccessKey } = bucket.account;
      await admin(
        ["storage", "set", "--project", project.projectId, "--file", "-"],
        server.settings,
        JSON.stringify({
          endpoint,
          bucket: bucket.name,
          publicUrl: `${endpoint}/${bucket.name}`,
          accessKeyId,
          secretAccessKey,
        }),
      );
      await using site = await serveUploadSite(server, project);
      await setCors(bucket, [{
        AllowedOrigins: [site.origin],
        AllowedMethods: ["PUT", "GET", "HEAD"],
        AllowedHeaders: ["content-type", "content-length"],
      }]);
      await using browser = await openBrowser();
      const bytes = picture(1600, 1600);

      await t.step("the site's own page, also beyond the maximum of our store", async () => {
        const watched = await watch(await browser.page());
        const { page, requests } = watched;
        await page.goto(site.origin);
        const large = picture(2000, 1500);
        assert.ok(large.length > 10 * 1_048_576);
        await choose(page, "Large.bmp", "image/bmp", large);
        const shown = await shownPicture(page, "Large.bmp");
        assert.equal(shown.width, 2000);
        assert.ok(shown.url.startsWith(`${endpoint}/${bucket.name}/${project.projectId}/`));
        const put = requests.find(({ method }) => method === "PUT")!;
        assert.equal(new URL(put.url).origin, endpoint);
        const steps = await watched.progress();
        assert.ok(steps.length > 2 && steps[0]! < large.length && steps.at(-1) === large.length);
        assert.deepEqual(watched.errors, []);
        assert.partialDeepStrictEqual(await usageOf(server, project), { used: 0, reserved: 0 });
      });

      await t.step("not the same page from another origin, which is told so", async () => {
        const { page } = await watch(await browser.page());
        await page.goto(`http://127.0.0.1:${new URL(site.origin).port}`);
        await choose(page, "Sunset.bmp", "image/bmp", bytes);
        await page.locator("#message.alarm").waitFor();
        assert.match(await page.getByRole("status").innerText(), /did not take/);
        assert.equal(await page.getByRole("img").count(), 0);
      });
    },
  );
}
