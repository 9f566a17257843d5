import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  type DashboardBrowser,
  openDashboardBrowser,
  register,
} from "../support/dashboard_browser.ts";
import { HOSTILE_TEXTS } from "../support/pages.ts";
import { createTestBucket, hasS3, settingsOf } from "../support/s3.ts";
import { admin } from "./server.ts";
import { until } from "./until.ts";

const MiB = 1_048_576;

/** A red square as a PNG. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

const chosen = (name: string, content: Uint8Array | string, mimeType = "text/plain") => ({
  name,
  mimeType,
  buffer: Buffer.from(content as string),
});

async function openFilesPage(dashboard: DashboardBrowser, page: Page) {
  const email = await register(dashboard, page);
  const { home, secretKey } = await createProject(page);
  await page.goto(`${home}/sign-in`);
  await page.getByRole("link", { name: /^Files/ }).click();
  await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
  return { email, secretKey };
}

const tile = (page: Page, name: string) => page.locator(".tile", { hasText: name });

async function usageOf({ server }: DashboardBrowser, key: string) {
  const response = await fetch(`${server.url}/api/storage/usage`, {
    headers: { "x-api-key": key },
    client: server.http,
  });
  return (await response.json()).data as { used: number; reserved: number };
}

const isDisplayed = (page: Page, name: string) =>
  until(
    `the picture of ${name}`,
    async () =>
      await tile(page, name).locator("img").evaluate((image) =>
        (image as unknown as { naturalWidth: number }).naturalWidth
      ) > 0,
  );

async function deleteTile(page: Page, name: string): Promise<void> {
  await tile(page, name).getByText("Delete", { exact: true }).click();
  await tile(page, name).getByText("gone for good").waitFor();
  await tile(page, name).getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("The file is deleted.").waitFor();
  assert.equal(await tile(page, name).count(), 0);
}

browserTest("with scripts, files are dropped, refused one by one, shown and deleted", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person();
  const { secretKey } = await openFilesPage(dashboard, page);
  await assertAccessible(page);
  await page.getByLabel(/A file of up to/).setInputFiles([
    chosen("cat.png", PICTURE, "image/png"),
    chosen("notes.txt", "hello"),
    chosen("empty.txt", ""),
    chosen(HOSTILE_TEXTS[1], new Uint8Array(10 * MiB + 1), "application/octet-stream"),
    chosen("big.bin", new Uint8Array(10 * MiB + 1), "application/octet-stream"),
  ]);
  await tile(page, "notes.txt").waitFor();
  await tile(page, "empty.txt").waitFor();
  await isDisplayed(page, "cat.png");
  const sending = page.locator(".sending li");
  assert.equal(await sending.count(), 2);
  await sending.filter({ hasText: "big.bin" }).getByText(/larger than/).waitFor();
  await sending.filter({ hasText: HOSTILE_TEXTS[1] }).getByText(/larger than/).waitFor();
  assert.equal(await page.locator("img[onerror]").count(), 0, "a name is shown as text");
  await assertAccessible(page);

  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  })()`);
  await page.dispatchEvent("file-drop", "drop", { dataTransfer: dropped });
  await tile(page, "dropped.txt").waitFor();
  await deleteTile(page, "dropped.txt");
  const { used, reserved } = await usageOf(dashboard, secretKey);
  assert.deepEqual([used, reserved], [PICTURE.length + 5, 0]);
});

browserTest("with scripts, folders are dropped and chosen with all of their files", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person();
  await openFilesPage(dashboard, page);
  const folder = await Deno.makeTempDir({ prefix: "corbel-folder-" });
  for (const [name, content] of [["a.txt", "a"], ["deep/b.txt", "bb"], ["deep/er/c.txt", "ccc"]]) {
    const path = `${folder}/album/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, content!);
  }
  const box = (await page.locator("file-drop").boundingBox())!;
  const session = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", {
      type,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      data: { items: [], files: [`${folder}/album`], dragOperationsMask: 1 },
    });
  }
  await page.getByText("3 of 3 files are uploaded.").waitFor();
  for (const name of ["album/a.txt", "album/deep/b.txt", "album/deep/er/c.txt"]) {
    await tile(page, name).waitFor();
  }
  await Deno.rename(`${folder}/album`, `${folder}/again`);
  await page.locator("input[webkitdirectory]").setInputFiles(`${folder}/again`);
  await tile(page, "again/deep/er/c.txt").waitFor();
  assert.equal(await page.locator(".tile").count(), 6);
  await assertAccessible(page);
  await Deno.remove(folder, { recursive: true });
});

browserTest(
  "with scripts, an upload waits while the network is down and then resumes",
  async () => {
    await using dashboard = await openDashboardBrowser();
    const page = await dashboard.person();
    const { secretKey } = await openFilesPage(dashboard, page);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: MiB,
    });
    const offsets: number[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
    });
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const large = new Uint8Array(4 * MiB).map((_, at) => bytes[at % bytes.length]! ^ (at >> 16));
    await page.getByLabel(/A file of up to/).setInputFiles(
      chosen("large.bin", large, "text/plain"),
    );
    const isHalf = "document.querySelector('.sending progress')?.value > 0.3";
    await until("some bytes are sent", () => page.evaluate<boolean>(isHalf));
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await tile(page, "large.bin").waitFor();
    assert.ok(offsets.length > 1 && offsets.at(-1)! > 0, offsets.join());
    const { used, reserved } = await usageOf(dashboard, secretKey);
    assert.deepEqual([used, reserved], [large.length, 0]);
    const url = await tile(page, "large.bin").getByRole("link").first().getAttribute("href");
    const served = await (await fetch(url!, { client: dashboard.server.http })).bytes();
    assert.ok(served.every((byte, at) => byte === large[at]), "other bytes");
  },
);

browserTest("without scripts, one form uploads a file, refuses another, and deletes", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person({ javaScriptEnabled: false });
  const { secretKey } = await openFilesPage(dashboard, page);
  const upload = async (file: ReturnType<typeof chosen>) => {
    await page.getByLabel(/A file of up to/).setInputFiles(file);
    await page.getByRole("button", { name: "Upload" }).click();
  };
  await upload(chosen('grüße & "more".png', PICTURE, "image/png"));
  await page.getByText("The file is uploaded.").waitFor();
  await isDisplayed(page, "grüße");
  await upload(chosen("big.bin", new Uint8Array(11 * MiB), "application/octet-stream"));
  await page.getByRole("alert").getByText(/larger than/).waitFor();
  await upload(chosen("empty.txt", ""));
  await page.getByText("The file is uploaded.").waitFor();
  assert.deepEqual(await usageOf(dashboard, secretKey).then(({ used }) => used), PICTURE.length);
  await deleteTile(page, "grüße");
  await deleteTile(page, "empty.txt");
  await page.getByText("No files so far").waitFor();
});

browserTest(
  "a form uploads a large file, and an interrupted one leaves nothing",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "corbel-large-" });
    try {
      await using dashboard = await openDashboardBrowser();
      const { server } = dashboard;
      const page = await dashboard.person({ javaScriptEnabled: false });
      const { email, secretKey } = await openFilesPage(dashboard, page);
      await admin(["account", "plan", "--email", email, "--plan", "pro"], server.settings);
      const upload = async (name: string, bytes: number) => {
        const file = `${folder}/${name}`;
        await Deno.create(file).then((made) => made.close());
        await Deno.truncate(file, bytes);
        await page.getByLabel(/A file of up to/).setInputFiles(file);
        await page.getByRole("button", { name: "Upload" }).click();
        await page.getByText("The file is uploaded.").waitFor();
      };
      await until("the server has noticed the plan", async () => {
        await page.reload();
        return await page.getByText("up to 100 MB").count() === 1;
      });
      await upload("large.bin", 95 * MiB);
      assert.equal((await usageOf(dashboard, secretKey)).used, 95 * MiB);

      await page.goto(page.url().split("?")[0]!);
      const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
      await sendHalfOfForm(dashboard, new URL(page.url()).pathname, cookie.join("; "));
      await until("no space is reserved", async () => {
        const { used, reserved } = await usageOf(dashboard, secretKey);
        return used === 95 * MiB && reserved === 0;
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** Sends half of a form, and disconnects once the server has started to read it. */
async function sendHalfOfForm(
  { server }: DashboardBrowser,
  path: string,
  cookie: string,
): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="cut.bin"\r\n\r\n';
  const request =
    `POST ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\nCookie: ${cookie}\r\n` +
    `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${20 * MiB}\r\n\r\n${head}`;
  const bytes = [new TextEncoder().encode(request), new Uint8Array(5 * MiB)];
  for (const part of bytes) {
    for (let at = 0; at < part.length;) at += await connection.write(part.subarray(at));
  }
}

browserTest("a project's own bucket is set, checked, used and disconnected by clicks", async () => {
  if (!hasS3()) return;
  await using bucket = await createTestBucket();
  await using dashboard = await openDashboardBrowser({
    settings: { ALLOW_PRIVATE_ENDPOINTS: "true" },
  });
  const page = await dashboard.person();
  await openFilesPage(dashboard, page);
  await page.getByRole("link", { name: "Storage" }).click();
  const given = settingsOf(bucket);
  await page.getByLabel("Endpoint").fill(given.endpoint);
  await page.getByLabel("Bucket", { exact: true }).fill(given.bucket);
  await page.getByLabel("Region").fill(given.region);
  await page.getByLabel("Public URL").fill(given.publicUrl);
  await page.getByLabel("Access key id").fill(given.accessKeyId);
  await page.getByLabel("Secret access key").fill(given.secretAccessKey);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("New files go to this bucket. Check it now").waitFor();
  await assertAccessible(page);
  await page.getByRole("button", { name: "Check the bucket" }).click();
  await page.getByText("What the check found").waitFor();
  await assertAccessible(page);
  await page.getByRole("link", { name: "Files", exact: true }).last().click();
  await page.getByLabel(/A file of up to/).setInputFiles(chosen("cat.png", PICTURE, "image/png"));
  await tile(page, "cat.png").waitFor();
  await isDisplayed(page, "cat.png");
  await deleteTile(page, "cat.png");
  await page.getByRole("link", { name: "Storage" }).click();
  await page.getByText("Disconnect", { exact: true }).click();
  await page.getByRole("button", { name: "Disconnect the bucket" }).click();
  await page.getByText("New files go to Corbel's storage.", { exact: true }).waitFor();
});
