import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { createEgress, type Egress, EgressFailed, EgressRefused, isPublic } from "./egress.ts";

/** Every way to write an address that the URL parser takes, and what must never be reached. */
const REFUSED = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f.1",
  "0x7f000001",
  "0177.0.0.1",
  "017700000001",
  "127.255.255.254",
  "①②⑦.⓪.⓪.①",
  "0.0.0.0",
  "0",
  "0.1.2.3",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "169.254.169.254",
  "0xa9fea9fe",
  "100.64.0.1",
  "100.127.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "192.88.99.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::127.0.0.1]",
  "[::8.8.8.8]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::8.8.8.8]",
  "[64:ff9b:1::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fdff::1]",
  "[ff02::1]",
  "[100::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[2002:7f00:1::]",
  "[2002:808:808::]",
  "[5f00::1]",
];

const ADMITTED = [
  "8.8.8.8",
  "1.1.1.1",
  "172.32.0.1",
  "100.128.0.1",
  "[2606:4700::1111]",
  "[::ffff:8.8.8.8]",
];

const hostOf = (spelt: string) => new URL(`http://${spelt}/`).hostname;

/** What a connection was made to, or why none was. */
function connect(egress: Egress, url: string): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const { httpAgent, httpsAgent } = egress.agents;
  const request = url.startsWith("https:")
    ? https.get(url, { agent: httpsAgent })
    : http.get(url, { agent: httpAgent });
  request.on("error", reject);
  request.on("response", (response) => {
    response.resume();
    response.on("end", () => resolve(response));
  });
  return promise;
}

const isRefused = (error: unknown) => error instanceof EgressRefused && error.code === "EBLOCKED";

/** A server that counts connections, and may point elsewhere. */
function listen(location?: string) {
  const ports = new Set<number>();
  let requests = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (_request, { remoteAddr }) => {
      ports.add(remoteAddr.port);
      requests++;
      return location === undefined
        ? new Response("here")
        : new Response(null, { status: 302, headers: { location } });
    },
  );
  return {
    port: server.addr.port,
    connections: () => ports.size,
    requests: () => requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A resolver that gives the next of these answers each time, and the last from then on. */
function resolver(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)]!;
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    queueMicrotask(() =>
      options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)
    );
  };
  return { lookup, asked: () => asked };
}

/** In the place of a public address: this machine has none. */
const here = (address: string) => address === "127.0.0.1";

Deno.test("no spelling of an address that is not public is taken for one", () => {
  using egress = createEgress();
  for (const spelt of REFUSED) assert.equal(egress.admits(hostOf(spelt)), false, spelt);
  for (const spelt of ADMITTED) assert.equal(egress.admits(hostOf(spelt)), true, spelt);
});

Deno.test("what is no address, or has a zone, is not public", () => {
  for (const text of ["", "localhost", "127.1", "8.8.8", "8.8.8.8%1", "fe80::1%eth0", "x"]) {
    assert.equal(isPublic(text), false, text);
  }
});

Deno.test("a name is admitted until its addresses are known", () => {
  using egress = createEgress();
  for (const name of ["localhost", "storage.example.com", "metadata"]) {
    assert.equal(egress.admits(name), true, name);
  }
});

Deno.test("no connection is made to a written-out address of this machine, by http or https", async () => {
  await using server = listen();
  using egress = createEgress();
  for (const scheme of ["http", "https"]) {
    for (const host of ["127.0.0.1", "127.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"]) {
      const url = `${scheme}://${host}:${server.port}/`;
      await assert.rejects(connect(egress, url), isRefused, url);
    }
  }
  assert.equal(server.requests(), 0);
});

Deno.test("a name that leads to this machine is refused, and nothing tells where it leads", async () => {
  await using server = listen();
  const { lookup } = resolver(["127.0.0.1"]);
  using egress = createEgress({ lookup });
  for (const url of [`http://inside.test:${server.port}/`, `https://inside.test:${server.port}/`]) {
    await assert.rejects(connect(egress, url), (error: Error) => {
      assert.ok(isRefused(error), url);
      assert.match(error.message, /"inside\.test"/);
      assert.doesNotMatch(error.message, /127/);
      return true;
    });
  }
  assert.equal(server.requests(), 0);
});

Deno.test("the system's own resolver is judged as well", async () => {
  await using server = listen();
  using egress = createEgress();
  await assert.rejects(connect(egress, `http://localhost:${server.port}/`), isRefused);
  assert.equal(server.requests(), 0);
});

Deno.test("one refused address among several refuses the name, in whatever order they come", async () => {
  await using server = listen();
  for (
    const addresses of [
      ["127.0.0.1", "10.0.0.1"],
      ["10.0.0.1", "127.0.0.1"],
      ["127.0.0.1", "::1"],
      ["127.0.0.1", "127.0.0.1", "::ffff:169.254.169.254"],
    ]
  ) {
    const { lookup } = resolver(addresses);
    using egress = createEgress({ lookup, admits: here });
    const url = `http://several.test:${server.port}/`;
    await assert.rejects(connect(egress, url), isRefused, addresses.join());
  }
  assert.equal(server.requests(), 0);
});

Deno.test("a lookup of one address only judges all of them", async () => {
  await using server = listen();
  const answers = resolver(["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const ask = () =>
    new Promise((resolve, reject) => {
      const { httpAgent: agent } = egress.agents;
      const url = `http://one.test:${server.port}/`;
      // The socket is told of one address then, and not of a list.
      const options = {
        agent,
        autoSelectFamily: false,
        family: 4,
        headers: { connection: "close" },
      };
      http.get(url, options, (response) => response.resume().on("end", resolve))
        .on("error", reject);
    });
  await ask();
  await assert.rejects(ask(), isRefused);
  assert.equal(server.requests(), 1);
});

Deno.test("a name without an address is refused", async () => {
  const { lookup } = resolver([]);
  using egress = createEgress({ lookup, admits: () => true });
  await assert.rejects(connect(egress, "http://nowhere.test/"), isRefused);
});

Deno.test("a name of a private network and one that nobody knows are refused alike, and as late", async () => {
  const unknown: LookupFunction = (_hostname, _options, callback) =>
    queueMicrotask(() =>
      callback(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }), [])
    );
  const refusals = await Promise.all(
    [resolver(["10.0.0.1"]).lookup, unknown, resolver([]).lookup].map(async (lookup) => {
      using egress = createEgress({ lookup });
      const started = performance.now();
      const error = await connect(egress, "http://name.test/").catch((error) => error);
      assert.ok(performance.now() - started >= 195, `${performance.now() - started} ms`);
      assert.ok(isRefused(error));
      return [error.name, error.code, error.message];
    }),
  );
  assert.deepEqual(refusals[1], refusals[0]);
  assert.deepEqual(refusals[2], refusals[0]);
});

Deno.test("a kept connection is used again without asking anew; a new one is judged anew", async () => {
  await using server = listen();
  const answers = resolver(["127.0.0.1"], ["10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const url = `http://turning.test:${server.port}/`;
  assert.equal((await connect(egress, url)).statusCode, 200);
  assert.equal((await connect(egress, url)).statusCode, 200);
  assert.equal(server.connections(), 1, "the second request took the connection of the first");
  assert.equal(answers.asked(), 1);
  egress.agents.httpAgent.destroy();
  await assert.rejects(connect(egress, url), isRefused);
  assert.equal(answers.asked(), 2);
  assert.equal(server.requests(), 2);
});

Deno.test("several requests at once each have their connection judged", async () => {
  await using server = listen();
  const answers = resolver(["127.0.0.1"], ["10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const url = `http://turning.test:${server.port}/`;
  const ends = await Promise.allSettled(Array.from({ length: 5 }, () => connect(egress, url)));
  const refused = ends.filter((end) => end.status === "rejected");
  assert.equal(refused.length, 4);
  for (const { reason } of refused) assert.ok(isRefused(reason));
  assert.equal(server.requests(), 1);
});

Deno.test("where a redirect points is not asked", async () => {
  await using inside = listen();
  await using server = listen(`http://127.0.0.1:${inside.port}/`);
  const { lookup } = resolver(["127.0.0.1"]);
  using egress = createEgress({ lookup, admits: here });
  const answer = await connect(egress, `http://outside.test:${server.port}/`);
  assert.equal(answer.statusCode, 302);
  assert.equal(inside.requests(), 0);
});

Deno.test("where private addresses are allowed all of them are reached", async () => {
  await using server = listen();
  using egress = createEgress({ admits: () => true });
  for (const host of ["127.0.0.1", "localhost"]) {
    const answer = await connect(egress, `http://${host}:${server.port}/`);
    assert.equal(answer.statusCode, 200);
  }
  assert.equal(egress.admits("127.0.0.1"), true);
});

/** What a plain connection brings first, from a server that greets. */
function greet(text: string) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  const serving = (async () => {
    for await (const connection of listener) {
      connections++;
      await connection.write(new TextEncoder().encode(text)).catch(() => {});
      connection.close();
    }
  })();
  return {
    port: listener.addr.port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

const WITHIN_MS = 5_000;

Deno.test("a plain connection is made to what is admitted, by name and by address", async () => {
  await using server = greet("hello");
  const { lookup } = resolver(["127.0.0.1"]);
  using egress = createEgress({ lookup, admits: here });
  for (const host of ["outside.test", "127.0.0.1"]) {
    const socket = await egress.connect({ host, port: server.port, withinMs: WITHIN_MS });
    const [greeting] = await once(socket, "data");
    assert.equal(String(greeting), "hello");
    socket.destroy();
  }
  assert.equal(server.connections(), 2);
});

Deno.test("no plain connection is made to what is not public, whatever it is called", async () => {
  await using server = greet("hello");
  const { port } = server;
  const inside = (host: string, lookup?: LookupFunction) => {
    const egress = createEgress(lookup && { lookup });
    return egress.connect({ host, port, withinMs: WITHIN_MS })
      .finally(() => egress[Symbol.dispose]());
  };
  for (const host of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "localhost", "127.1"]) {
    await assert.rejects(inside(host), isRefused, host);
  }
  await assert.rejects(inside("inside.test", resolver(["127.0.0.1"]).lookup), isRefused);
  await assert.rejects(inside("several.test", resolver(["8.8.8.8", "10.0.0.1"]).lookup), isRefused);
  assert.equal(server.connections(), 0);
});

Deno.test("each plain connection is judged anew, by what it is made to", async () => {
  await using server = greet("hello");
  const answers = resolver(["127.0.0.1"], ["10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const place = { host: "turning.test", port: server.port, withinMs: WITHIN_MS };
  (await egress.connect(place)).destroy();
  await assert.rejects(egress.connect(place), isRefused);
  assert.equal(answers.asked(), 2);
  assert.equal(server.connections(), 1);
});

Deno.test("a plain connection that cannot be made names no address, and is not waited for", async () => {
  const { lookup } = resolver(["127.0.0.1"]);
  using egress = createEgress({ lookup, admits: here });
  const gone = egress.connect({ host: "gone.test", port: 1, withinMs: WITHIN_MS });
  await assert.rejects(gone, (error: Error) => {
    assert.ok(error instanceof EgressFailed && !(error instanceof EgressRefused));
    assert.equal(error.message, "cannot be reached (ECONNREFUSED)");
    return true;
  });
  const silent: LookupFunction = () => {};
  using waiting = createEgress({ lookup: silent });
  const late = waiting.connect({ host: "late.test", port: 1, withinMs: 50 });
  await assert.rejects(late, /no connection within 50 ms/);
});
