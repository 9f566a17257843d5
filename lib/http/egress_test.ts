import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEgress, type Egress, EgressFailed, EgressRefused, isPublic } from "./egress.ts";

/** Spellings that the URL parser accepts of addresses that must never be reached. */
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

/** Sends a request and resolves to its response. */
function connect(
  egress: Egress,
  url: string,
  onRequest: (request: http.ClientRequest) => void = () => {},
): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const { httpAgent, httpsAgent } = egress.agents;
  const request = url.startsWith("https:")
    ? https.get(url, { agent: httpsAgent })
    : http.get(url, { agent: httpAgent });
  onRequest(request);
  request.on("error", reject);
  request.on("response", (response) => {
    response.resume();
    response.on("end", () => resolve(response));
  });
  return promise;
}

const isRefused = (error: unknown) => error instanceof EgressRefused && error.code === "EBLOCKED";

/** Starts a server that counts connections and may redirect. */
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

/** Returns a resolver that gives these answers in turn, and then the last one again. */
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

/** Admits this machine, because tests have no public address. */
const here = (address: string) => address === "127.0.0.1";

Deno.test("requests over https and http that cannot connect are freed", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []);
  using unknown = createEgress({ lookup });
  using local = createEgress({ admits: () => true });
  for (
    const [egress, url] of [
      [unknown, "https://unknown.example/"],
      [unknown, "http://unknown.example/"],
      [local, "https://127.0.0.1:1/"],
    ] as const
  ) {
    const requests: WeakRef<http.ClientRequest>[] = [];
    for (let i = 0; i < 10; i++) {
      await assert.rejects(connect(egress, url, (one) => requests.push(new WeakRef(one))));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    collectGarbage();
    const left = requests.filter((one) => one.deref() !== undefined).length;
    assert.ok(left <= 2, `${left} of 10 requests to ${url} are still in memory`);
  }
});

Deno.test("admits refuses addresses that are not public in every spelling", () => {
  using egress = createEgress();
  for (const spelt of REFUSED) assert.equal(egress.admits(hostOf(spelt)), false, spelt);
  for (const spelt of ADMITTED) assert.equal(egress.admits(hostOf(spelt)), true, spelt);
});

Deno.test("isPublic is false for texts that are not addresses or have a zone", () => {
  for (const text of ["", "localhost", "127.1", "8.8.8", "8.8.8.8%1", "fe80::1%eth0", "x"]) {
    assert.equal(isPublic(text), false, text);
  }
});

Deno.test("admits accepts any name", () => {
  using egress = createEgress();
  for (const name of ["localhost", "storage.example.com", "metadata"]) {
    assert.equal(egress.admits(name), true, name);
  }
});

Deno.test("the agents do not connect to literal addresses of this machine", async () => {
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

Deno.test("the agents refuse names of this machine without revealing its address", async () => {
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

Deno.test("the agents check the answers of the system's resolver", async () => {
  await using server = listen();
  using egress = createEgress();
  await assert.rejects(connect(egress, `http://localhost:${server.port}/`), isRefused);
  assert.equal(server.requests(), 0);
});

Deno.test("the agents refuse a name if any of its addresses is refused", async () => {
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

Deno.test("the agents check all addresses even if only one is looked up", async () => {
  await using server = listen();
  const answers = resolver(["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const ask = () =>
    new Promise((resolve, reject) => {
      const { httpAgent: agent } = egress.agents;
      const url = `http://one.test:${server.port}/`;
      // Makes the socket look up one address instead of a list.
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

Deno.test("the agents refuse a name without addresses", async () => {
  const { lookup } = resolver([]);
  using egress = createEgress({ lookup, admits: () => true });
  await assert.rejects(connect(egress, "http://nowhere.test/"), isRefused);
});

Deno.test("private and unknown names are refused with equal errors after equal times", async () => {
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

Deno.test("the agents check new connections but not reused ones", async () => {
  await using server = listen();
  const answers = resolver(["127.0.0.1"], ["10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const url = `http://turning.test:${server.port}/`;
  assert.equal((await connect(egress, url)).statusCode, 200);
  assert.equal((await connect(egress, url)).statusCode, 200);
  assert.equal(server.connections(), 1, "the second request reused the connection");
  assert.equal(answers.asked(), 1);
  egress.agents.httpAgent.destroy();
  await assert.rejects(connect(egress, url), isRefused);
  assert.equal(answers.asked(), 2);
  assert.equal(server.requests(), 2);
});

Deno.test("the agents check each connection of concurrent requests", async () => {
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

Deno.test("the agents do not follow redirects", async () => {
  await using inside = listen();
  await using server = listen(`http://127.0.0.1:${inside.port}/`);
  const { lookup } = resolver(["127.0.0.1"]);
  using egress = createEgress({ lookup, admits: here });
  const answer = await connect(egress, `http://outside.test:${server.port}/`);
  assert.equal(answer.statusCode, 302);
  assert.equal(inside.requests(), 0);
});

Deno.test("the agents connect to private addresses if they are allowed", async () => {
  await using server = listen();
  using egress = createEgress({ admits: () => true });
  for (const host of ["127.0.0.1", "localhost"]) {
    const answer = await connect(egress, `http://${host}:${server.port}/`);
    assert.equal(answer.statusCode, 200);
  }
  assert.equal(egress.admits("127.0.0.1"), true);
});

/** Starts a TCP server that sends a text on each connection. */
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

Deno.test("connect opens connections to admitted names and addresses", async () => {
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

Deno.test("connect refuses names and addresses that are not public", async () => {
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

Deno.test("connect checks each connection by the address it is made to", async () => {
  await using server = greet("hello");
  const answers = resolver(["127.0.0.1"], ["10.0.0.1"]);
  using egress = createEgress({ lookup: answers.lookup, admits: here });
  const target = { host: "turning.test", port: server.port, withinMs: WITHIN_MS };
  (await egress.connect(target)).destroy();
  await assert.rejects(egress.connect(target), isRefused);
  assert.equal(answers.asked(), 2);
  assert.equal(server.connections(), 1);
});

Deno.test("connect fails in time and without naming an IP address", async () => {
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
