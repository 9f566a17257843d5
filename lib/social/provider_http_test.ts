import assert from "node:assert/strict";
import { PROVIDER_ANSWER_BYTES_MAX } from "../limits.ts";
import type { SignInFailed } from "./failures.ts";
import { jsonOf, type ProviderRequest, withinTimeLimit } from "./provider_http.ts";

interface Asked {
  readonly method: string;
  readonly headers: Headers;
}

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Asked[];
}

function serve(answer: (request: Request) => Response): Server {
  const requests: Asked[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    requests.push({ method: request.method, headers: new Headers(request.headers) });
    return answer(request);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const ask = (url: string, init?: ProviderRequest) =>
  withinTimeLimit((http) => http.fetch(url, init));

const failed = (reason: string, detail?: string) => (error: SignInFailed) =>
  error.name === "SignInFailed" && error.reason === reason &&
  (detail === undefined || error.detail === detail);

Deno.test("fetch sends a User-Agent and the body as a form", async () => {
  await using server = serve(() => new Response("yes"));
  const body = new URLSearchParams({ a: "b c" });
  const answer = await ask(server.url, { method: "POST", headers: { accept: "x/y" }, body });
  assert.equal(await answer.text(), "yes");
  const [request] = server.requests;
  assert.equal(request!.method, "POST");
  assert.equal(request!.headers.get("user-agent"), "Corbel");
  assert.equal(request!.headers.get("accept"), "x/y");
  assert.match(request!.headers.get("content-type")!, /^application\/x-www-form-urlencoded/);
});

Deno.test("fetch does not follow redirects", async () => {
  await using elsewhere = serve(() => Response.json({ id: 1 }));
  await using server = serve(() => Response.redirect(elsewhere.url, 302));
  const answer = await ask(server.url);
  assert.equal(answer.status, 302);
  await assert.rejects(jsonOf(answer), failed("unavailable", "status 302"));
  assert.equal(elsewhere.requests.length, 0);
});

Deno.test("fetch accepts responses up to one mebibyte, with or without a content-length", async () => {
  const chunk = new Uint8Array(65_536);
  const chunks = PROVIDER_ANSWER_BYTES_MAX / chunk.length;
  const bodies = { fits: [chunks, 0], over: [chunks, 1], endless: [Infinity, 0] } as const;
  await using server = serve(({ url }) => {
    const [complete, rest] = bodies[new URL(url).pathname.slice(1) as keyof typeof bodies];
    let sent = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (sent++ < complete) controller.enqueue(chunk);
          else {
            if (rest > 0) controller.enqueue(chunk.subarray(0, rest));
            controller.close();
          }
        },
      }),
    );
  });
  const complete = await ask(`${server.url}/fits`);
  assert.equal((await complete.arrayBuffer()).byteLength, PROVIDER_ANSWER_BYTES_MAX);
  for (const path of ["over", "endless"]) {
    await assert.rejects(ask(`${server.url}/${path}`), failed("unavailable", "too large"));
  }
});

Deno.test("fetch rejects if the provider is unreachable or the response is cut off", async () => {
  const server = serve(() => new Response("x"));
  await server[Symbol.asyncDispose]();
  await assert.rejects(ask(server.url), failed("unavailable", "unreachable"));
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const cutting = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(1024));
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\ncut";
    await connection.write(new TextEncoder().encode(head));
  })();
  await assert.rejects(
    ask(`http://127.0.0.1:${listener.addr.port}`),
    failed("unavailable", "unreachable"),
  );
  await cutting;
});

Deno.test("jsonOf accepts only status 200", async () => {
  const answers: [Response, string | null][] = [
    [Response.json({ a: 1 }), null],
    [Response.json({ a: 1 }, { status: 201 }), "status 201"],
    [Response.json({ a: 1 }, { status: 500 }), "status 500"],
    [new Response("<html>"), "no JSON"],
    [new Response(""), "no JSON"],
  ];
  for (const [answer, detail] of answers) {
    if (detail === null) assert.deepEqual(await jsonOf(answer), { a: 1 });
    else await assert.rejects(jsonOf(answer), failed("unavailable", detail));
  }
});

Deno.test("withinTimeLimit aborts requests that are running when the work ends", async () => {
  const [asked, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using server = serve(() => {
    asked.resolve();
    const start = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(1));
    return new Response(new ReadableStream({ start, cancel: () => cancelled.resolve() }));
  });
  let left: Promise<unknown> = Promise.resolve();
  await withinTimeLimit(async (http) => {
    left = http.fetch(server.url).catch((error) => error);
    await asked.promise;
  });
  assert.equal((await left as SignInFailed).name, "SignInFailed");
  await cancelled.promise;
});
