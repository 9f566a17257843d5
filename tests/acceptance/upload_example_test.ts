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

/** A page of another origin that may ask whomever it likes. */
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

/** The example, with the address and the key that its README has one fill in. */
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

/** A picture file of some megabytes, whose bytes no format makes smaller. */
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

/** A page of somebody's own, with what it asked for and what went wrong in it. */
interface Watched {
  readonly page: Page;
  readonly requests: readonly PageRequest[];
  readonly errors: readonly string[];
}

async function watch(browser: TestBrowser): Promise<Watched> {
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

const said = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();

/** Waits until so many bytes of an upload are sent. */
const areSent = (page: Page, bytes: number) =>
  until(`${bytes} bytes are sent`, async () => {
    const value = "document.querySelector('#sending:not([hidden]) progress')?.value";
    return (await page.evaluate<number>(value) ?? 0) > bytes;
  });

const isRequest = (request: PageRequest): boolean =>
  request.method() === "POST" && request.url().endsWith("/upload-request");

const offsets = ({ requests }: Watched): number[] =>
  requests.filter((request) => request.method() === "PATCH")
    .map((request) => Number(request.headers()["upload-offset"]));

function assertTellsNoSecret({ requests, errors }: Watched): void {
  for (const request of requests) {
    const told = JSON.stringify([request.url(), request.headers()]);
    assert.ok(!told.includes("sk_live_"), `a secret key went to ${request.url()}`);
    if (request.method() === "PATCH") assert.ok(!told.includes("pk_live_"), "the address alone");
  }
  assert.deepEqual(errors, []);
}

/** Of an image in a page. */
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
  "the example uploads a picture, though the network is lost, and shows it in three sizes",
  async (t) => {
    await using server = await startServer();
    await using site = await serveSite(server);
    const folder = await Deno.makeTempDir();
    const file = await pictureFile(folder, "Sunset.jpg");
    await using browser = await openBrowser();
    const watched = await watch(browser);
    const { page, requests } = watched;
    await page.goto(site.origin);
    await signUp(page, "ada@example.com");

    await t.step("it waits while the network is off, and goes on where it was", async () => {
      await choose(page, file);
      await areSent(page, 600_000);
      await page.context().setOffline(true);
      await page.getByText("waiting for the network").waitFor();
      await page.context().setOffline(false);
      await said(page, "Sunset.jpg is uploaded.");
      const sent = offsets(watched);
      assert.equal(sent[0], 0);
      assert.ok(sent.length > 1 && sent.at(-1)! > 0, sent.join());
      assert.equal(requests.filter(isRequest).length, 1);
    });

    await t.step("it is shown in three sizes", async () => {
      assert.deepEqual(await widthsOf(page, "Sunset.jpg, "), [96, 384, 1024]);
    });

    await t.step("what has arrived is the file, byte for byte", async () => {
      const { body } = await send(server, {
        path: "/api/storage/files",
        key: site.project.secretKey,
      });
      const served = await fetch(body.data.items[0].url, { client: server.http });
      const [bytes, own] = [await served.bytes(), await Deno.readFile(file)];
      assert.ok(bytes.length === own.length && bytes.every((byte, i) => byte === own[i]));
    });

    assertTellsNoSecret(watched);
    await Deno.remove(folder, { recursive: true });
  },
);

browserTest(
  "the example goes on with a picture when its page is opened again, and gives one up that is stopped",
  async (t) => {
    await using server = await startServer();
    await using site = await serveSite(server);
    const folder = await Deno.makeTempDir();
    await using browser = await openBrowser();
    const watched = await watch(browser);
    const { page } = watched;
    await page.goto(site.origin);
    await signUp(page, "ada@example.com");

    await t.step("who stops it has nothing uploaded, and no space is held", async () => {
      const other = await pictureFile(folder, "Fog.jpg");
      await choose(page, other);
      await areSent(page, 0);
      const cancelled = page.waitForRequest((request) => request.method() === "DELETE");
      await page.getByRole("button", { name: "Stop" }).click();
      await said(page, "Stopped. Nothing was uploaded.");
      assert.equal((await (await cancelled).response())?.status(), 204);
      const { body } = await send(server, {
        path: "/api/storage/usage",
        key: site.project.secretKey,
      });
      assert.equal(body.data.reserved, 0);
    });

    await t.step("a page that is opened again goes on with the same file", async () => {
      const other = await pictureFile(folder, "Harbour.jpg");
      const before = offsets(watched).length;
      await choose(page, other);
      await areSent(page, 600_000);
      await page.reload();
      await page.getByText("Choose a picture").waitFor();
      await choose(page, other);
      await said(page, "Harbour.jpg is uploaded.");
      const sent = offsets(watched).slice(before);
      assert.ok(sent.length === 2 && sent[1]! > 0, sent.join());
    });

    await t.step(
      "what the project does not let users upload is refused before it is sent",
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

    assertTellsNoSecret(watched);
    await Deno.remove(folder, { recursive: true });
  },
);

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
  "an upload by fetch from another origin, and no other method or header, is let through",
  async () => {
    await using server = await startServer();
    await using site = serveBlank();
    const project = await createProject(server.settings);
    await using browser = await openBrowser();
    const { page } = await watch(browser);
    await page.goto(`http://localhost:${site.addr.port}`);
    const { signedUrl, filePath } = await requestText(server, project);
    const withHeader = (name: string) => ({ ...PUT, headers: { ...PUT.headers, [name]: "x" } });
    // Of our own server every address lets the methods of the whole API through, and any header.
    if (storage === "s3") {
      const others = ["x-other", "authorization"].map(withHeader);
      for (const init of [{ method: "DELETE" }, { method: "POST" }, ...others]) {
        assert.equal(await askFrom(page, signedUrl, init), null, JSON.stringify(init));
      }
    }
    assert.equal((await askFrom(page, signedUrl, PUT))?.status, 200);
    const { status, body } = await confirmText(server, project, filePath);
    assert.equal(status, 200);
    assert.equal((await askFrom(page, body.url))?.text, TEXT);
    assert.deepEqual(await askFrom(page, body.url, { method: "HEAD" }), {
      status: 200,
      type: "text/plain",
      text: "",
    });
    const part = await askFrom(page, body.url, { headers: { range: "bytes=0-3" } });
    assert.deepEqual([part?.status, part?.text], [206, "sent"]);
  },
);

if (hasS3()) {
  browserTest(
    "pages upload to a project's own bucket from the origins that its rule names, and no others",
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
      const { page } = await watch(browser);
      const { signedUrl, filePath } = await requestText(server, project);
      assert.equal(new URL(signedUrl).origin, endpoint);
      await page.goto(`http://127.0.0.1:${site.addr.port}`);
      assert.equal(await askFrom(page, signedUrl, PUT), null, "another origin");
      await page.goto(origin);
      assert.equal((await askFrom(page, signedUrl, PUT))?.status, 200);
      const { body } = await confirmText(server, project, filePath);
      assert.ok(body.url.startsWith(`${endpoint}/${bucket.name}/${project.projectId}/`));
      assert.equal((await askFrom(page, body.url))?.text, TEXT);
    },
  );
}
