import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { createCertificate, forwardRequest, serveSite } from "./tls.ts";

Deno.test("selfSigned creates a certificate that is valid now, for its host, and signed by its key", () => {
  const host = "app.example.test";
  const { cert } = createCertificate(host);
  const read = new X509Certificate(cert);
  assert.equal(read.checkHost(host), host);
  assert.equal(read.checkHost("evil.test"), undefined);
  assert.ok(new Date(read.validFrom) < new Date() && new Date() < new Date(read.validTo));
  assert.ok(read.verify(read.publicKey));
});

Deno.test("a client rejects a certificate that it does not know", async () => {
  await using site = serveSite("localhost", () => new Response("here"));
  using refused = Deno.createHttpClient({});
  await assert.rejects(fetch(site.origin, { client: refused }));
});

Deno.test("a client accepts a certificate that it knows", async () => {
  const certificate = createCertificate("localhost");
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, ...certificate },
    () => new Response("here"),
  );
  using client = Deno.createHttpClient({ caCerts: [certificate.cert] });
  const response = await fetch(`https://localhost:${server.addr.port}/`, { client });
  assert.equal(await response.text(), "here");
});

Deno.test("passOn keeps the method, headers, body, cookies and redirects", async () => {
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
  const answer = await forwardRequest(request, `http://127.0.0.1:${behind.addr.port}`, client);
  assert.equal(answer.status, 302);
  assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  const text = Buffer.from(await answer.arrayBuffer()).toString();
  assert.deepEqual(JSON.parse(text), ["POST", "https://b.test", "body"]);
});
