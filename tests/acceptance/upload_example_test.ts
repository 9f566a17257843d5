import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page, Request as PageRequest } from "playwright-core";
import sharp from "sharp";
import { serveExample } from "../../examples/serve.ts";
import { browserTest, openBrowser, type TestBrowser } from "../support/browser.ts";
import { setCors } from "../support/bucket_rules.ts";
import { createTestBucket, hasS3 } from "../support/s3.ts";
import { storage } from "../support/test_store.ts";
import { changeProject, createProject, type Project, send } from "./project.ts";
import { admin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const BYTES_PER_SECOND = 1_048_576;
const [WIDTH, HEIGHT] = [1600, 1000];

/** Serves an empty page of another origin without restrictions on its requests. */
const serveBlank = () =>
  Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () =>
      new Response('<!doctype html><link rel="icon" href="data:,"><title>Blank</title>', {
        headers: { "content-type": "text/html" },
      }),
  );

interface Site extends AsyncDisposable {
  readonly origin: string;
  readonly project: Project;
}

/** Serves the example with the address and the key filled in, as its README describes. */
async function serveSite(server: Server): Promise<Site> {
  const filled = Promise.withResolvers<Project>();
  const site = Deno.serve({ hostname: "localhost", port: 0, onListen() {} }, async (request) => {
    const answer = await serveExample("upload")(request);
    const text = (await answer.text())
      .replaceAll("http://localhost:8000", server.url.replace("127.0.0.1", "localhost"))
      .replace("pk_live_…", (await filled.promise).publishableKey);
    return new Response(text, answer);
  });
  const origin = `http://localhost:${(site.addr as Deno.NetAddr).port}`;
  const project = await createProject(server.settings, origin);
  filled.resolve(project);
  await changeProject(server.settings, project, { files: { userUploads: "signed-in" } });
  return { origin, project, [Symbol.asyncDispose]: () => site.shutdown() };
}

/** Creates a picture file of some megabytes that no format compresses. */
async function pictureFile(folder: string, name: string): Promise<string> {
  const noise = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let at = 0; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, at + 65_536));
  }
  const path = `${folder}/${name}`;
  await sharp(noise, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 90 }).toFile(path);
  return path;
}

interface WatchedPage {
  readonly page: Page;
  readonly requests: readonly PageRequest[];
  readonly errors: readonly string[];
}

async function openWatchedPage(browser: TestBrowser): Promise<WatchedPage> {
  const page = await browser.page();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: BYTES_PER_SECOND,
  });
  const requests: PageRequest[] = [];
  const errors: string[] = [];
  page.on("request", (request) => void requests.push(request));
  page.on("pageerror", (error) => void errors.push(error.message));
  return { page, requests, errors };
}

async function signUp(page: Page, email: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("a difference engine");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText("Choose a picture").waitFor();
}

const choose = (page: Page, file: Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0]) =>
  page.locator("#file").setInputFiles(file);

const waitForStatus = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).waitFor();

const waitForSentBytes = (page: Page, bytes: number) =>
  until(`${bytes} bytes are sent`, async () => {
    const value = "document.querySelector('#sending:not([hidden]) progress')?.value";
    return (await page.evaluate<number>(value) ?? 0) > bytes;
  });

const isRequest = (request: PageRequest): boolean =>
  request.method() === "POST" && request.url().endsWith("/upload-request");

const offsets = ({ requests }: WatchedPage): number[] =>
  requests.filter((request) => request.method() === "PATCH")
    .map((request) => Number(request.headers()["upload-offset"]));

function assertSendsNoSecret({ requests, errors }: WatchedPage): void {
  for (const request of requests) {
    const sent = JSON.stringify([request.url(), request.headers()]);
    assert.ok(!sent.includes("sk_live_"), `a secret key went to ${request.url()}`);
    if (request.method() === "PATCH") {
      assert.ok(!sent.includes("pk_live_"), "the upload address needs no key");
    }
  }
  assert.deepEqual(errors, []);
}

interface ShownImage {
  readonly naturalWidth: number;
  decode(): Promise<void>;
}

const widthsOf = (page: Page, name: string): Promise<number[]> =>
  page.getByAltText(name).evaluateAll(async (images) => {
    const shown = images as unknown as ShownImage[];
    await Promise.all(shown.map((image) => image.decode()));
    return shown.map(({ naturalWidth }) => naturalWidth);
  });

browserTest(
  "the example uploads a picture despite a lost network, and shows it in three sizes",
  async (t) => {
    await using server = await startServer();
    await using site = await serveSite(server);
    const folder = await Deno.makeTempDir();
    const file = await pictureFile(folder, "Sunset.jpg");
    await using browser = await openBrowser();
    const watched = await openWatchedPage(browser);
    const { page, requests } = watched;
    await page.goto(site.origin);
    await signUp(page, "ada@example.com");

    await t.step("the upload waits while the network is down, and resumes", async () => {
      await choose(page, file);
      await waitForSentBytes(page, 600_000);
      await page.context().setOffline(true);
      await page.getByText("waiting for the network").waitFor();
      await page.context().setOffline(false);
      await waitForStatus(page, "Sunset.jpg is uploaded.");
      const sent = offsets(watched);
      assert.equal(sent[0], 0);
      assert.ok(sent.length > 1 && sent.at(-1)! > 0, sent.join());
      assert.equal(requests.filter(isRequest).length, 1);
    });

    await t.step("the picture is shown in three sizes", async () => {
      assert.deepEqual(await widthsOf(page, "Sunset.jpg, "), [96, 384, 1024]);
    });

    await t.step("the stored file equals the original", async () => {
      const { body } = await send(server, {
        path: "/api/storage/files",
        key: site.project.secretKey,
      });
      const served = await fetch(body.data.items[0].url, { client: server.http });
      const [bytes, own] = [await served.bytes(), await Deno.readFile(file)];
      assert.ok(bytes.length === own.length && bytes.every((byte, i) => byte === own[i]));
    });

    assertSendsNoSecret(watched);
    await Deno.remove(folder, { recursive: true });
  },
);

browserTest(
  "the example resumes a picture after its page was closed, and stopping discards it",
  async (t) => {
    await using server = await startServer();
    await using site = await serveSite(server);
    const folder = await Deno.makeTempDir();
    await using browser = await openBrowser();
    const watched = await openWatchedPage(browser);
    const { page } = watched;
    await page.goto(site.origin);
    await signUp(page, "ada@example.com");

    await t.step("stopping an upload stores nothing and reserves no space", async () => {
      const other = await pictureFile(folder, "Fog.jpg");
      await choose(page, other);
      await waitForSentBytes(page, 0);
      const cancelled = page.waitForRequest((request) => request.method() === "DELETE");
      await page.getByRole("button", { name: "Stop" }).click();
      await waitForStatus(page, "Stopped. Nothing was uploaded.");
      assert.equal((await (await cancelled).response())?.status(), 204);
      const { body } = await send(server, {
        path: "/api/storage/usage",
        key: site.project.secretKey,
      });
      assert.equal(body.data.reserved, 0);
    });

    await t.step("a reopened page resumes the upload of the same file", async () => {
      const other = await pictureFile(folder, "Harbour.jpg");
      const before = offsets(watched).length;
      await choose(page, other);
      await waitForSentBytes(page, 600_000);
      await page.reload();
      await page.getByText("Choose a picture").waitFor();
      await choose(page, other);
      await waitForStatus(page, "Harbour.jpg is uploaded.");
      const sent = offsets(watched).slice(before);
      assert.ok(sent.length === 2 && sent[1]! > 0, sent.join());
    });

    await t.step(
      "a file that users may not upload is refused before it is sent",
      async () => {
        const before = offsets(watched).length;
        await choose(page, {
          name: "a.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("x"),
        });
        await page.locator("#message.alarm").waitFor();
        assert.match(
          await page.getByRole("status").innerText(),
          /upload files of these types: image/,
        );
        assert.equal(offsets(watched).length, before);
      },
    );

    assertSendsNoSecret(watched);
    await Deno.remove(folder, { recursive: true });
  },
);

/** Fetches from another origin in the page, and returns what a script can read, or null. */
const fetchInPage = (page: Page, url: string, init: RequestInit = {}) =>
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

const TEXT = "sent by fetch";
const PUT = { method: "PUT", headers: { "content-type": "text/plain" }, body: TEXT };

const requestText = async (server: Server, { secretKey: key }: Project) =>
  (await send(server, {
    path: "/api/storage/upload-request",
    key,
    body: { filename: "a.txt", contentType: "text/plain", size: TEXT.length },
  })).body;

const confirmText = (server: Server, { secretKey: key }: Project, filePath: string) =>
  send(server, {
    path: "/api/storage/upload-confirm",
    key,
    body: { filePath, size: TEXT.length },
  });

browserTest(
  "CORS allows an upload by fetch from another origin, and no other method or header",
  async () => {
    await using server = await startServer();
    await using site = serveBlank();
    const project = await createProject(server.settings);
    await using browser = await openBrowser();
    const { page } = await openWatchedPage(browser);
    await page.goto(`http://localhost:${site.addr.port}`);
    const { signedUrl, filePath } = await requestText(server, project);
    const withHeader = (name: string) => ({ ...PUT, headers: { ...PUT.headers, [name]: "x" } });
    // The server's own addresses allow all methods of the API and any header.
    if (storage === "s3") {
      const others = ["x-other", "authorization"].map(withHeader);
      for (const init of [{ method: "DELETE" }, { method: "POST" }, ...others]) {
        assert.equal(await fetchInPage(page, signedUrl, init), null, JSON.stringify(init));
      }
    }
    assert.equal((await fetchInPage(page, signedUrl, PUT))?.status, 200);
    const { status, body } = await confirmText(server, project, filePath);
    assert.equal(status, 200);
    assert.equal((await fetchInPage(page, body.url))?.text, TEXT);
    assert.deepEqual(await fetchInPage(page, body.url, { method: "HEAD" }), {
      status: 200,
      type: "text/plain",
      text: "",
    });
    const part = await fetchInPage(page, body.url, { headers: { range: "bytes=0-3" } });
    assert.deepEqual([part?.status, part?.text], [206, "sent"]);
  },
);

if (hasS3()) {
  browserTest(
    "pages upload to a project's own bucket from the origins of its rule only",
    async () => {
      await using bucket = await createTestBucket();
      await using server = await startServer({ settings: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
      await using site = serveBlank();
      const origin = `http://localhost:${site.addr.port}`;
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
      await setCors(bucket, [{
        AllowedOrigins: [origin],
        AllowedMethods: ["PUT", "GET", "HEAD"],
        AllowedHeaders: ["content-type", "content-length"],
      }]);
      await using browser = await openBrowser();
      const { page } = await openWatchedPage(browser);
      const { signedUrl, filePath } = await requestText(server, project);
      assert.equal(new URL(signedUrl).origin, endpoint);
      await page.goto(`http://127.0.0.1:${site.addr.port}`);
      assert.equal(await fetchInPage(page, signedUrl, PUT), null, "another origin is refused");
      await page.goto(origin);
      assert.equal((await fetchInPage(page, signedUrl, PUT))?.status, 200);
      const { body } = await confirmText(server, project, filePath);
      assert.ok(body.url.startsWith(`${endpoint}/${bucket.name}/${project.projectId}/`));
      assert.equal((await fetchInPage(page, body.url))?.text, TEXT);
    },
  );
}
