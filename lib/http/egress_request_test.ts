import assert from "node:assert/strict";
import { createEgress, EgressFailed, EgressRefused } from "./egress.ts";
import { egressRequest } from "./egress_request.ts";

/** Starts a server for one test. */
function serve(handle: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  return {
    url: new URL(`http://127.0.0.1:${server.addr.port}/there`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const everywhere = () => createEgress({ admits: () => true });

const failsWith = (message: RegExp) => (error: unknown) =>
  error instanceof EgressFailed && message.test(error.message);

Deno.test("egressRequest sends headers and a body and returns the complete answer", async () => {
  const seen: unknown[] = [];
  await using server = serve(async (request) => {
    seen.push(request.method, new URL(request.url).pathname, request.headers.get("x-one"));
    seen.push(request.headers.get("content-length"), await request.text());
    return new Response("done", { status: 201, headers: { "x-two": "2" } });
  });
  using egress = everywhere();
  const answer = await egressRequest(egress, server.url, {
    method: "PUT",
    headers: { "x-one": "1" },
    body: new TextEncoder().encode("given"),
  });
  assert.deepEqual(seen, ["PUT", "/there", "1", "5", "given"]);
  assert.equal(answer.status, 201);
  assert.equal(answer.header("x-two"), "2");
  assert.equal(answer.header("x-three"), null);
  assert.equal(new TextDecoder().decode(answer.body), "done");
});

Deno.test("egressRequest returns redirects as answers", async () => {
  let requests = 0;
  await using server = serve(() => {
    requests++;
    return new Response(null, { status: 302, headers: { location: "/elsewhere" } });
  });
  using egress = everywhere();
  const answer = await egressRequest(egress, server.url, { method: "GET" });
  assert.equal(answer.status, 302);
  assert.equal(answer.header("location"), "/elsewhere");
  assert.equal(requests, 1);
});

Deno.test("egressRequest uses the egress guard", async () => {
  let requests = 0;
  await using server = serve(() => {
    requests++;
    return new Response();
  });
  using egress = createEgress();
  for (const method of ["GET", "HEAD", "OPTIONS", "PUT"] as const) {
    for (const scheme of ["http:", "https:"]) {
      const url = new URL(server.url);
      url.protocol = scheme;
      await assert.rejects(egressRequest(egress, url, { method }), EgressRefused);
    }
  }
  assert.equal(requests, 0);
});

Deno.test("egressRequest cancels an answer that is too long", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using server = serve(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
        cancel: () => cancelled.resolve(),
      }),
    )
  );
  using egress = everywhere();
  const asked = egressRequest(egress, server.url, { method: "GET" });
  await assert.rejects(asked, failsWith(/^the answer is too long$/));
  await cancelled.promise;
});

Deno.test("egressRequest times out if an answer does not begin or does not end", async () => {
  const over = Promise.withResolvers<void>();
  await using server = serve(async ({ url }) => {
    if (url.endsWith("/never")) await over.promise;
    return new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new Uint8Array(1));
          await over.promise;
          controller.close();
        },
      }),
    );
  });
  using egress = everywhere();
  for (const path of ["/never", "/endless"]) {
    const asked = egressRequest(egress, new URL(path, server.url), { method: "GET", withinMs: 50 });
    await assert.rejects(asked, failsWith(/^no answer within 50 ms$/), path);
  }
  over.resolve();
});

Deno.test("egressRequest reports a refused connection without the address", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = new URL(`http://localhost:${listener.addr.port}/`);
  listener.close();
  using egress = everywhere();
  const asked = egressRequest(egress, url, { method: "GET" });
  await assert.rejects(asked, failsWith(/^cannot be reached \(E[A-Z]+\)$/));
});
