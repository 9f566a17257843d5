import assert from "node:assert/strict";
import { NoReadConnection, ReadConnectionLimiter } from "./read_connection_limiter.ts";

/** Longer than these tests take. */
const LONG = 600_000;

/** Takes connections until there is none; resolves to how many there were. Who then waits is told. */
function takeAll(
  limiter: ReadConnectionLimiter,
  space: string,
): { taken: number; next: Promise<number> } {
  for (let taken = 0;; taken++) {
    const place = limiter.acquire(space, LONG);
    if (typeof place !== "number") return { taken, next: place };
    assert.equal(place, LONG);
  }
}

function giveBack(limiter: ReadConnectionLimiter, space: string, times: number): void {
  for (let time = 0; time < times; time++) limiter.release(space);
}

const refused = async (place: unknown) => {
  await assert.rejects(async () => await place, NoReadConnection);
};

Deno.test("no space takes more than it leaves, and all of them leave an eighth", async () => {
  const limiter = new ReadConnectionLimiter(32);
  const spaces = ["a", "b", "c", "d", "e", "f"];
  const found = spaces.map((space) => takeAll(limiter, space));
  assert.deepEqual(found.map(({ taken }) => taken), [14, 7, 4, 2, 1, 0]);
  giveBack(limiter, "a", 14);
  for (const { next } of found) assert.ok(await next > 0);
});

Deno.test("there is a connection in the smallest of pools, and no bound where a pool has none", async () => {
  for (const [connections, alone] of [[1, 1], [2, 1], [4, 2], [8, 4], [100, 44]] as const) {
    const limiter = new ReadConnectionLimiter(connections);
    const { taken, next } = takeAll(limiter, "a");
    assert.equal(taken, alone, `of ${connections}`);
    giveBack(limiter, "a", taken);
    await next;
  }
  const endless = new ReadConnectionLimiter(0);
  for (let taken = 0; taken < 5_000; taken++) assert.equal(endless.acquire("a", LONG), LONG);
});

Deno.test("requests that wait are admitted in turn: the first of each space before the second of any", async () => {
  const limiter = new ReadConnectionLimiter(1);
  const order: string[] = [];
  const wait = async (space: string, name: string) => {
    await limiter.acquire(space, LONG);
    order.push(name);
    limiter.release(space);
  };
  assert.equal(limiter.acquire("a", LONG), LONG);
  const waiting = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) => wait(name[0]!, name));
  limiter.release("a");
  await Promise.all(waiting);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(limiter.acquire("b", LONG), LONG, "all were given back");
});

Deno.test("waiting counts towards the time, and ends with it", async () => {
  const limiter = new ReadConnectionLimiter(1);
  limiter.acquire("a", LONG);
  await refused(limiter.acquire("a", 1));
  await refused(limiter.acquire("b", 1));
  const began = performance.now();
  const place = limiter.acquire("b", LONG);
  await new Promise((resolve) => setTimeout(resolve, 20));
  limiter.release("a");
  const left = await place;
  const waited = performance.now() - began;
  assert.ok(left <= LONG - 19 && left >= Math.floor(LONG - waited), `${left} left`);
  assert.ok(Number.isInteger(left));
});

Deno.test("a thousand of one space wait at most, whoever else does", async () => {
  const limiter = new ReadConnectionLimiter(1);
  limiter.acquire("a", LONG);
  const waiting = Array.from({ length: 1_000 }, () => limiter.acquire("a", LONG));
  await refused(limiter.acquire("a", LONG));
  const other = limiter.acquire("b", LONG);
  giveBack(limiter, "a", 2);
  await other;
  limiter.release("b");
  giveBack(limiter, "a", 999);
  await Promise.all(waiting);
});
