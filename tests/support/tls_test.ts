import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { passOn, selfSigned, serveSite } from "./tls.ts";

Deno.test("a certificate is for its host, for now, and signed by its own key", () => {
  const host = "app.example.test";
  const { cert } = selfSigned(host);
  const read = new X509Certificate(cert);
  assert.equal(read.checkHost(host), host);
  assert.equal(read.checkHost("evil.test"), undefined);
  assert.ok(new Date(read.validFrom) < new Date() && new Date() < new Date(read.validTo));
  assert.ok(read.verify(read.publicKey));
});

Deno.test("a client that does not know the certificate turns away", async () => {
  await using site = serveSite("localhost", () => new Response("here"));
  using refused = Deno.createHttpClient({});
  await assert.rejects(fetch(site.origin, { client: refused }));
});

Deno.test("a client that knows the certificate speaks with the site", async () => {
  const known = selfSigned("localhost");
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, ...known },
    () => new Response("here"),
  );
  using client = Deno.createHttpClient({ caCerts: [known.cert] });
  const response = await fetch(`https://localhost:${server.addr.port}/`, { client });
  assert.equal(await response.text(), "here");
});

Deno.test("what is passed on keeps its method, headers, body, cookies and redirects", async () => {
  await using behind = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const headers = new Headers({ location: "https://elsewhere.example/" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      const seen = [request.method, request.headers.get("origin"), await request.text()];
      return new Response(JSON.stringify(seen), { status: 302, headers });
    },
  );
  using client = Deno.createHttpClient({});
  const request = new Request("https://a.test/x?y=z", {
    method: "POST",
    headers: { origin: "https://b.test" },
    body: "body",
  });
  const answer = await passOn(request, `http://127.0.0.1:${behind.addr.port}`, client);
  assert.equal(answer.status, 302);
  assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  const text = Buffer.from(await answer.arrayBuffer()).toString();
  assert.deepEqual(JSON.parse(text), ["POST", "https://b.test", "body"]);
});
