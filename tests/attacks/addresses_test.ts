import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { PASSWORD } from "../support/dashboard.ts";
import { createTestCollection, tally, times } from "../api/test_collection.ts";
import { processorMs } from "./cost.ts";

const LIMIT = 5;
const REQUESTS = 40;

type AddressOf = (n: number) => string;

/** Address generators that count as one client. */
const ONE_CLIENT: readonly (readonly [string, AddressOf])[] = [
  ["one IPv6 /64", (n) => `2001:db8:1:2:${(n * 7919 & 0xffff).toString(16)}::${n.toString(16)}`],
  ["one IPv4 address, also within IPv6", (n) => n % 2 ? "192.0.2.9" : "::ffff:192.0.2.9"],
  ["one address with different zones", (n) => `fe80::1%eth${n}`],
];

/** Spellings of such addresses that proxies add. */
const BEHIND_A_PROXY: readonly (readonly [string, AddressOf])[] = [
  ...ONE_CLIENT,
  ["one IPv4 address with its ports", (n) => `192.0.2.9:${1024 + n}`],
  ["one IPv6 address with its ports", (n) => `[2001:db8::9]:${1024 + n}`],
  ["one IPv6 address, bare and in brackets", (n) => n % 2 ? "[2001:db8::9]" : "2001:DB8:0::9"],
  ["invalid words", (n) => `guess-${n}`],
  ["invalid numbers", (n) => `1.2.3.${256 + n}`],
];

async function sendFromAddresses(
  addressOf: AddressOf,
  proxies: "0" | "1",
): Promise<Record<number, number>> {
  const env = { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: String(LIMIT), TRUST_PROXY: proxies };
  await using app = await openTestApp({ env });
  const collection = await createTestCollection(app);
  const answers = await Promise.all(times(REQUESTS, (n) => {
    const from = proxies === "0"
      ? { peer: addressOf(n) }
      : { peer: "10.0.0.1", headers: { "x-forwarded-for": `203.0.113.${n}, ${addressOf(n)}` } };
    const { headers, ...rest } = { headers: {}, ...from };
    const key = { "x-api-key": collection.project.publishableKey };
    return app.send({ path: "/api/data/posts", ...rest, headers: { ...headers, ...key } });
  }));
  return tally(answers);
}

for (const [name, addressOf] of ONE_CLIENT) {
  Deno.test(`rate limit by peers: ${name} is one client`, async () => {
    assert.deepEqual(await sendFromAddresses(addressOf, "0"), {
      200: LIMIT,
      429: REQUESTS - LIMIT,
    });
  });
}

for (const [name, addressOf] of BEHIND_A_PROXY) {
  Deno.test(`rate limit by X-Forwarded-For: ${name} is one client`, async () => {
    assert.deepEqual(await sendFromAddresses(addressOf, "1"), {
      200: LIMIT,
      429: REQUESTS - LIMIT,
    });
  });
}

Deno.test("rate limit: clients of different networks count separately", async () => {
  assert.deepEqual(await sendFromAddresses((n) => `2001:db8:1:${n.toString(16)}::1`, "1"), {
    200: REQUESTS,
  });
  assert.deepEqual(await sendFromAddresses((n) => `198.51.100.${n}`, "1"), { 200: REQUESTS });
});

Deno.test("sign-in lock: ports and addresses of one /64 share their attempts", async () => {
  for (const addressOf of [BEHIND_A_PROXY[0]![1], BEHIND_A_PROXY[3]![1]]) {
    await using app = await openTestApp({ env: { TRUST_PROXY: "1" } });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) {
      const { status } = await app.send({
        path: "/api/auth/login",
        body: { email: "ann@example.com", password: PASSWORD },
        headers: { "x-forwarded-for": addressOf(n) },
      });
      statuses.push(status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  }
});

Deno.test("a long X-Forwarded-For costs time in proportion to its length", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on", TRUST_PROXY: "3" } });
  const collection = await createTestCollection(app);
  const lists = [
    ",".repeat(60_000),
    "1.1.1.1,".repeat(8_000),
    ":".repeat(60_000),
    "[".repeat(60_000),
  ];
  const timed = async (list: string | null) => {
    const headers = new Headers({ "x-api-key": collection.project.publishableKey });
    if (list !== null) headers.set("x-forwarded-for", list);
    const started = processorMs();
    for (let i = 0; i < 20; i++) {
      assert.equal((await app.send({ path: "/api/data/posts", headers })).status, 200);
    }
    return processorMs() - started;
  };
  await timed(null);
  for (const list of lists) {
    const ms = await timed(list);
    assert.ok(ms < 500, `${ms} ms for 20 requests with ${list.slice(0, 8)}…`);
  }
});
