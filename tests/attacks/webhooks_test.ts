/** Webhook endpoints that try to delay or fill the server, or to reach its private network. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { postMessage } from "@/lib/events/webhooks/post.ts";
import { createEgress, EgressFailed, EgressRefused, isPublic } from "@/lib/http/egress.ts";
import { WEBHOOK_ANSWER_BYTES } from "@/lib/limits.ts";

const MESSAGE = { headers: { "webhook-id": "msg_1" }, body: '{"type":"posts.created"}' };
const SHORT_MS = 200;

interface Endpoint extends AsyncDisposable {
  readonly url: URL;
  readonly port: number;
  readonly asked: string[];
  /** Resolves when the sender has closed the connection of the first request. */
  readonly closed: Promise<void>;
}

async function startEndpoint(
  answer: (response: http.ServerResponse, request: http.IncomingMessage) => void,
): Promise<Endpoint> {
  const asked: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = http.createServer((request, response) => {
    asked.push(request.url!);
    response.on("error", () => {});
    response.on("close", () => closed.resolve());
    request.resume();
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/hook`),
    port,
    asked,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const anyone = () => createEgress({ admits: () => true });

Deno.test("an endpoint that does not respond times out, and its connection is closed", async () => {
  await using endpoint = await startEndpoint(() => {});
  using egress = anyone();
  const posted = postMessage(egress, endpoint.url, { ...MESSAGE, withinMs: SHORT_MS });
  await assert.rejects(posted, new EgressFailed(`no answer within ${SHORT_MS} ms`));
  await endpoint.closed;
});

Deno.test("a slow response body is read until the timeout, and its status counts", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  await using endpoint = await startEndpoint((response) => {
    response.writeHead(200);
    timer = setInterval(() => response.write("x"), 20);
  });
  using egress = anyone();
  const answer = await postMessage(egress, endpoint.url, { ...MESSAGE, withinMs: SHORT_MS });
  await endpoint.closed;
  clearInterval(timer);
  assert.equal(answer.status, 200);
  assert.match(answer.text, /^x{1,11}$/);
});

Deno.test("an endpoint with a slow response head times out", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  await using endpoint = await startEndpoint((response) => {
    response.socket!.write("HTTP/1.1 200 OK\r\n");
    timer = setInterval(() => response.socket?.write("x"), 20);
  });
  using egress = anyone();
  const posted = postMessage(egress, endpoint.url, { ...MESSAGE, withinMs: SHORT_MS });
  await assert.rejects(posted, EgressFailed);
  await endpoint.closed;
  clearInterval(timer);
});

Deno.test("only the first KiB of a gigabyte response is read, and the connection is closed", async () => {
  let sent = 0;
  const chunk = new Uint8Array(65_536).fill(97);
  await using endpoint = await startEndpoint((response) => {
    response.writeHead(200, { "content-length": String(2 ** 30) });
    const more = () => {
      while (sent < 2 ** 30 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", more);
    more();
  });
  using egress = anyone();
  const { status, text } = await postMessage(egress, endpoint.url, MESSAGE);
  await endpoint.closed;
  assert.deepEqual([status, text], [200, "a".repeat(WEBHOOK_ANSWER_BYTES)]);
  assert.ok(sent < 2 ** 26, `${sent} bytes were accepted`);
});

Deno.test("a response with partial characters and NUL is stored as text", async () => {
  await using endpoint = await startEndpoint((response) =>
    response.end(Buffer.concat([Buffer.from("\0é"), Buffer.from([0xff, 0xe2, 0x82])]))
  );
  using egress = anyone();
  const { text } = await postMessage(egress, endpoint.url, MESSAGE);
  assert.ok(text.isWellFormed());
  assert.equal(text, "\uFFFDé\uFFFD");
});

Deno.test("a redirect is a normal response, and its target is not requested", async () => {
  await using endpoint = await startEndpoint((response) => {
    response.writeHead(307, { location: "/inside" }).end("elsewhere");
  });
  using egress = anyone();
  const answer = await postMessage(egress, endpoint.url, MESSAGE);
  assert.deepEqual(answer, { status: 307, text: "elsewhere" });
  assert.deepEqual(endpoint.asked, ["/hook"]);
});

/** Returns an egress that treats this machine as public, and a name with changing addresses. */
function rebinding(addresses: readonly string[]) {
  const asked: string[] = [];
  const egress = createEgress({
    admits: (address) => address === HERE || isPublic(address),
    lookup: (_hostname, _options, callback) => {
      const address = addresses[Math.min(asked.length, addresses.length - 1)]!;
      asked.push(address);
      callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
    },
  });
  return { egress, asked };
}

const HERE = "127.0.0.1";
const INSIDE = ["127.0.0.2", "10.0.0.1", "::1", "169.254.169.254", "::ffff:127.0.0.1"];

Deno.test("a name that resolved to a public address is refused once it resolves to a private one", async () => {
  // The endpoint closes connections, so that each message needs a new one.
  await using endpoint = await startEndpoint((response) =>
    response.writeHead(200, { connection: "close" }).end("ok")
  );
  const { egress, asked } = rebinding([HERE, ...INSIDE]);
  using _ = egress;
  const url = new URL(`http://rebinding.example:${endpoint.port}/hook`);
  assert.equal((await postMessage(egress, url, MESSAGE)).status, 200);
  for (const _ of INSIDE) {
    await assert.rejects(postMessage(egress, url, MESSAGE), EgressRefused);
  }
  assert.deepEqual(asked, [HERE, ...INSIDE]);
  assert.deepEqual(endpoint.asked, ["/hook"]);
});

Deno.test("a reused connection stays with its original address", async () => {
  await using endpoint = await startEndpoint((response) => response.end("ok"));
  const { egress, asked } = rebinding([HERE, ...INSIDE]);
  using _ = egress;
  const url = new URL(`http://rebinding.example:${endpoint.port}/hook`);
  for (let i = 0; i < 3; i++) assert.equal((await postMessage(egress, url, MESSAGE)).status, 200);
  assert.deepEqual([asked, endpoint.asked.length], [[HERE], 3]);
});

Deno.test("a private address is refused in every spelling", async () => {
  await using endpoint = await startEndpoint((response) => response.end("inside"));
  using egress = createEgress();
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"]) {
    const url = new URL(`http://${host}:${endpoint.port}/hook`);
    await assert.rejects(postMessage(egress, url, MESSAGE), EgressRefused, host);
  }
  assert.deepEqual(endpoint.asked, []);
});

Deno.test("an endpoint that disconnects before or within its response delays nothing", async () => {
  await using before = await startEndpoint((response) => response.destroy());
  await using within = await startEndpoint((response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
    setTimeout(() => response.destroy(), 20);
  });
  using egress = anyone();
  await assert.rejects(
    postMessage(egress, before.url, MESSAGE),
    /^EgressFailed: cannot be reached/,
  );
  assert.deepEqual(await postMessage(egress, within.url, MESSAGE), { status: 200, text: "half" });
});
