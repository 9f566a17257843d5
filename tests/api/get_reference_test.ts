import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";

Deno.test("the reference is a page that needs nothing but this server", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/docs" });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/html; charset=utf-8$/);
  const links = [...answer.text.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)]
    .map(([, link]) => link!)
    .filter((link) => !link.startsWith("data:"));
  assert.ok(links.length > 0);
  for (const link of links) {
    assert.ok(!/^(?:[a-z]+:)?\/\//i.test(link), `${link} lies elsewhere`);
    const { pathname } = new URL(link, "http://localhost:8000/docs");
    assert.equal((await app.send({ path: pathname })).status, 200, link);
  }
});

Deno.test("the page's policy lets it speak to this server only", async () => {
  await using app = await openTestApp();
  const { headers, text } = await app.send({ path: "/docs" });
  const policy = headers.get("content-security-policy")!;
  for (const rule of ["default-src 'self'", "connect-src 'self'", "object-src 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.ok(!/https?:|\*|script-src[^;]*unsafe-inline|'unsafe-eval'/.test(policy));
  assert.ok(!/<script(?![^>]*\ssrc=)[^>]*>\s*\S/.test(text), "no inline script");
});
