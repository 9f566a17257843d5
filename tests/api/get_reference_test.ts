import assert from "node:assert/strict";
import { CONTRACTS } from "@/openapi/document.ts";
import { EXAMPLE_KEYS, guides } from "@/openapi/introduction.ts";
import { openTestApp } from "../support/test_app.ts";

Deno.test("getReference links every operation and guide, and no other server", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/docs" });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/html; charset=utf-8$/);
  for (const { operationId, path } of CONTRACTS) {
    assert.ok(answer.text.includes(`href="/docs/operations/${operationId}"`), operationId);
    assert.ok(answer.text.includes(path), path);
  }
  for (const { name } of guides()) {
    assert.ok(answer.text.includes(`href="/docs/guides/${name}"`), name);
  }
  const links = [...answer.text.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)]
    .map(([, link]) => link!)
    .filter((link) => !link.startsWith("data:"));
  const paths = new Set<string>();
  for (const link of links) {
    assert.ok(!/^(?:[a-z]+:)?\/\//i.test(link), `${link} is on another server`);
    const { pathname, hash } = new URL(link, "http://localhost:8000/docs");
    if (pathname === "/docs" && hash !== "") {
      assert.ok(answer.text.includes(`id="${hash.slice(1)}"`), link);
    }
    paths.add(pathname);
  }
  for (const path of paths) {
    const { status } = await app.send({ path });
    // The dashboard redirects a caller who is not signed in.
    assert.equal(status, path === "/dashboard" ? 303 : 200, path);
  }
});

Deno.test("getReference fills the key field with a marked example", async () => {
  await using app = await openTestApp();
  const { text } = await app.send({ path: "/docs" });
  assert.match(EXAMPLE_KEYS.publishable, /^pk_live_[\w-]{43}$/);
  assert.match(EXAMPLE_KEYS.secret, /^sk_live_[\w-]{43}$/);
  assert.ok(text.includes(`value="${EXAMPLE_KEYS.publishable}"`));
  assert.ok(text.includes("This key is an example."));
  const { text: script } = await app.send({ path: "/docs/init.js" });
  assert.ok(script.includes(`"${EXAMPLE_KEYS.publishable}"`), "Scalar has another example key");
});

Deno.test("the OpenAPI description links the guides and the errors with absolute URLs", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://api.example" } });
  const { body } = await app.send({ path: "/openapi.json" });
  const links = [...body.info.description.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  assert.equal(links.length, guides().length + 1);
  for (const link of links) {
    const { origin, pathname } = new URL(link);
    assert.equal(origin, "https://api.example");
    assert.equal((await app.send({ path: pathname })).status, 200, link);
  }
});

Deno.test("getReference restricts its pages to this server by a content security policy", async () => {
  await using app = await openTestApp();
  const page = await app.send({ path: "/docs" });
  const full = await app.send({ path: "/docs/full" });
  const policyOf = ({ headers }: typeof page) => headers.get("content-security-policy")!;
  for (const rule of ["default-src 'none'", "connect-src 'self'", "style-src 'self'"]) {
    assert.ok(policyOf(page).includes(rule), rule);
  }
  for (const rule of ["default-src 'self'", "connect-src 'self'", "object-src 'none'"]) {
    assert.ok(policyOf(full).includes(rule), rule);
  }
  for (const one of [page, full]) {
    assert.ok(!/https?:|\*|script-src[^;]*unsafe-inline|'unsafe-eval'/.test(policyOf(one)));
    assert.ok(!/<script(?![^>]*\ssrc=)[^>]*>\s*\S/.test(one.text), "no inline script");
  }
  assert.ok(!/unsafe-inline/.test(policyOf(page)));
  assert.ok(!/\sstyle=/.test(page.text), "no inline style");
});

Deno.test("getReference returns 304 for a cached page", async () => {
  await using app = await openTestApp();
  for (const path of ["/docs", "/docs/errors", "/docs/operations/getHealth", "/docs/guides/mail"]) {
    const { headers } = await app.send({ path });
    const cached = await app.send({ path, headers: { "if-none-match": headers.get("etag")! } });
    assert.equal(cached.status, 304, path);
    assert.equal(cached.text, "");
  }
});
