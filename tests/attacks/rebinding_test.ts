import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { PASSWORD } from "../support/test_services.ts";

/** A page of evil.example resolves its host name to this machine and sends requests here. */

const EVIL = "http://evil.example:8000";

/** Sends a request with a host name, like a browser on this machine. */
async function ask(
  { services }: TestApp,
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; code: string | undefined }> {
  const response = await createApp(services)
    .fetch(new Request(url, init), { remoteAddr: { hostname: "127.0.0.1" } });
  const text = await response.text();
  const code = text.startsWith("{") ? JSON.parse(text).code : undefined;
  return { status: response.status, code };
}

const PATHS = ["/", "/api/health", "/docs", "/dashboard", "/api/projects", "/files/x/y", "/a"];

Deno.test("dev refuses every host name that is not this machine's", async () => {
  await using app = await openTestApp({ isDev: true });
  const foreign = [
    EVIL,
    "http://localhost.evil.example:8000",
    "http://evillocalhost:8000",
    "http://192.168.1.7:8000",
    "http://0.0.0.0:8000",
    "http://127.0.0.1.evil.example",
  ];
  for (const origin of foreign) {
    for (const path of PATHS) {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const { status, code } = await ask(app, origin + path, { method });
        assert.equal(status, 403, `${method} ${origin}${path}`);
        if (method !== "HEAD" && path.startsWith("/api/")) assert.equal(code, "HOST_NOT_ALLOWED");
      }
    }
  }
});

Deno.test("dev accepts every name of this machine, with any port and spelling", async () => {
  await using app = await openTestApp({ isDev: true });
  const own = [
    "http://localhost:8000",
    "http://LOCALHOST:5173",
    "http://127.0.0.1:8000",
    "http://[::1]:8000",
    "http://[0:0:0:0:0:0:0:1]:8000",
    "http://shop.localhost:8000",
    "http://127.1:8000",
  ];
  for (const origin of own) {
    assert.equal((await ask(app, `${origin}/api/health`)).status, 200, origin);
  }
});

Deno.test("dev accepts the hosts of PUBLIC_URL and FILES_URL if set, and no similar ones", async () => {
  const env = {
    PUBLIC_URL: "https://corbel.example.com",
    FILES_URL: "https://files.example.com",
  };
  await using app = await openTestApp({ isDev: true, env });
  const statusAt = async (host: string) => (await ask(app, `http://${host}/api/health`)).status;
  for (const host of ["corbel.example.com", "files.example.com", "localhost:8000"]) {
    assert.equal(await statusAt(host), 200, host);
  }
  for (const host of ["example.com", "www.corbel.example.com", "evil.example"]) {
    assert.equal(await statusAt(host), 403, host);
  }
});

Deno.test("start accepts any host name, because a proxy decides", async () => {
  await using app = await openTestApp();
  assert.equal((await ask(app, `${EVIL}/api/health`)).status, 200);
});

Deno.test("start refuses requests of a page that the browser considers same-origin", async () => {
  await using app = await openTestApp();
  const headers = {
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    origin: EVIL,
  };
  const body = JSON.stringify({ email: "eve@example.com", password: PASSWORD });
  const register = (sent: Record<string, string>) =>
    ask(app, `${EVIL}/api/auth/register`, { method: "POST", headers: sent, body });
  assert.deepEqual(await register(headers), { status: 403, code: "CROSS_SITE_REQUEST" });
  // One server has several names on its machine.
  const own = await register({ ...headers, origin: "http://127.0.0.1:8000" });
  assert.equal(own.status, 201);
});
