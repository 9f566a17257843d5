import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { FORM_BYTES_MAX } from "@/lib/limits.ts";
import { createApp } from "@/routes/app.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

const FORM: [string, string] = ["content-type", "application/x-www-form-urlencoded"];

/** Fails unless the response has the headers of every page. Refusals and redirects differ. */
function assertGuarded(headers: Headers, what: string): void {
  const policy = headers.get("content-security-policy");
  for (
    const directive of [
      "default-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]
  ) assert.ok(policy?.split("; ").includes(directive), `${what}: ${directive} in ${policy}`);
  assert.doesNotMatch(policy!, /unsafe|\*/, what);
  assert.equal(headers.get("referrer-policy"), "same-origin", what);
  assert.equal(headers.get("x-content-type-options"), "nosniff", what);
  assert.equal(headers.get("x-frame-options"), "DENY", what);
  assert.equal(headers.get("cache-control"), "no-store", what);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8", what);
}

async function raw(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost:8000${path}`, { headers });
  const answer = await createApp(app.services).fetch(request, { remoteAddr: { hostname: "::1" } });
  return { headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

Deno.test("pages have protective headers, only our scripts, and are not cached", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const home = `/dashboard/projects/${projectId}`;
  const paths = ["", "/account", "/sign-in", "/register"].map((rest) => `/dashboard${rest}`);
  for (const path of [...paths, home, `${home}/members`, `${home}/settings`, `${home}/requests`]) {
    const page = await dashboard.get(path);
    assert.equal(page.status, 200, path);
    assertGuarded(page.headers, path);
    assertHarmless(page);
  }
});

Deno.test("a page with all that it loads is under 60 KB when compressed", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const page = await raw(app, `/dashboard/projects/${projectId}`, {
    cookie: account.cookie,
    "accept-encoding": "gzip, br",
  });
  assert.equal(page.headers.get("content-encoding"), "gzip");
  assert.equal(page.headers.get("vary"), "accept-encoding");
  const html = gunzipSync(page.bytes).toString();
  let total = page.bytes.length;
  for (const [, path] of html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)) {
    total += (await raw(app, path!, { "accept-encoding": "br" })).bytes.length;
  }
  assert.ok(total < 60 * 1024, `${total} bytes`);
});

Deno.test("assets are cached permanently under hashed names, compressed or plain", async () => {
  await using app = await openTestApp();
  const { text } = await openDashboard(app).get("/dashboard/sign-in");
  const paths = [...text.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, p]) =>
    p!
  );
  assert.ok(paths.length >= 5);
  for (const path of paths) {
    const plain = await raw(app, path);
    const br = await raw(app, path, { "accept-encoding": "gzip, br" });
    assert.equal(plain.headers.get("content-encoding"), null);
    assert.equal(br.headers.get("content-encoding"), "br");
    assert.equal(br.headers.get("vary"), "accept-encoding");
    assert.deepEqual(new Uint8Array(brotliDecompressSync(br.bytes)), plain.bytes);
    for (const { headers } of [plain, br]) {
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-type")!, /^(?:text\/(?:css|javascript)|image\/svg\+xml)/);
    }
    const refused = await raw(app, path, { "accept-encoding": "br;q=0" });
    assert.equal(refused.headers.get("content-encoding"), null);
    const head = await app.send({ method: "HEAD", path });
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.equal(head.headers.get("content-type"), plain.headers.get("content-type"));
  }
});

Deno.test("an unknown asset is not found, and the refusal is not cached", async () => {
  await using app = await openTestApp();
  for (const name of ["base.css", "base-000000000000.css", "..%2fassets.ts", "constructor"]) {
    const answer = await app.send({ path: `/dashboard/assets/${name}` });
    assert.ok([400, 404].includes(answer.status), name);
    assert.doesNotMatch(answer.headers.get("cache-control") ?? "", /immutable/);
  }
});

Deno.test("HEAD returns the headers of GET without a body", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const [head, get] = [
    await account.send({ method: "HEAD", path: "/dashboard" }),
    await account.send({ path: "/dashboard" }),
  ];
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const [name, value] of get.headers) {
    if (name !== "x-request-id") assert.equal(head.headers.get(name), value, name);
  }
});

Deno.test("refusals of the dashboard are pages with the status and text of the operation", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const strange = "64f1a2b3c4d5e6f708192a3b";
  const refusals = [
    ["GET", "/dashboard/nothing", 404, /Not found/],
    ["GET", `/dashboard/projects/${strange}`, 404, /Project not found or access denied/],
    ["GET", "/dashboard/projects/nonsense", 400, /Invalid project ID/],
    ["GET", "/dashboard/%2e%2e/x", 400, /path/],
    ["DELETE", "/dashboard", 405, /does not take DELETE/],
    ["PUT", "/dashboard/sign-in", 405, /does not take PUT/],
    ["POST", "/dashboard/assets/base.css", 405, /does not take POST/],
    ["GET", "/dashboard?cursor=nonsense", 400, /cursor/],
  ] as const;
  for (const [method, path, status, words] of refusals) {
    const answer = await account.send({ method, path });
    assert.equal(answer.status, status, `${method} ${path}`);
    assertGuarded(answer.headers, path);
    assert.match(answer.text, words);
    assert.match(answer.text, /href="\/dashboard"/);
  }
  const { headers } = await account.send({ method: "DELETE", path: "/dashboard" });
  assert.deepEqual(headers.get("allow")?.split(", ").toSorted(), ["GET", "POST"]);
});

Deno.test("GET of a form's address shows the form's page", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const dashboard = openDashboard(app, account);
  const home = `/dashboard/projects/${projectId}`;
  const below = [
    ["/dashboard/account/password", "Account"],
    ["/dashboard/account/ai-key/clear", "Account"],
    [`/dashboard/account/sessions/${projectId}`, "Account"],
    [`${home}/keys`, "Overview"],
    [`${home}/members/${account.accountId}/owner`, "Members"],
    [`${home}/settings/delete`, "Settings"],
  ] as const;
  for (const [path, title] of below) {
    const page = await dashboard.follow(await dashboard.get(path));
    assert.equal(page.status, 200, path);
    assert.equal(page.document.querySelector("h1")?.textContent, title);
  }
});

Deno.test("forms are urlencoded and of limited size", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const send = (type: string, body: string) =>
    account.send({ method: "POST", path: "/dashboard", headers: [["content-type", type]], body });
  for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
    const refused = await send(type, '{"name":"Blog"}');
    assert.equal(refused.status, 415, type);
    assertGuarded(refused.headers, type);
  }
  const large = await send(FORM[1], `name=${"x".repeat(FORM_BYTES_MAX)}`);
  assert.equal(large.status, 413);
  assertGuarded(large.headers, "413");
  const list = await account.send({ path: "/api/projects" });
  assert.deepEqual(list.body.data.items, []);
});

Deno.test("no other origin may read a page or an asset", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account, { siteUrl: "https://blog.example" });
  const { text } = await openDashboard(app).get("/dashboard/sign-in");
  const asset = /href="(\/dashboard\/assets\/[^"]+)"/.exec(text)![1]!;
  for (const origin of ["https://evil.example", "https://blog.example", "null"]) {
    for (const path of ["/dashboard", `/dashboard/projects/${projectId}`, "/dashboard/x", asset]) {
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await account.send({ method, path, headers: [["origin", origin]] });
        const allowed = answer.headers.get("access-control-allow-origin");
        assert.equal(allowed, null, `${method} ${path}`);
      }
    }
  }
});
