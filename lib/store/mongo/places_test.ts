import assert from "node:assert/strict";
import { NoPlace, Places } from "./places.ts";

/** Longer than these tests take. */
const LONG = 600_000;

/** Takes places until there is none; resolves to how many there were. Who then waits is told. */
function takeAll(places: Places, space: string): { taken: number; next: Promise<number> } {
  for (let taken = 0;; taken++) {
    const place = places.take(space, LONG);
    if (typeof place !== "number") return { taken, next: place };
    assert.equal(place, LONG);
  }
}

function giveBack(places: Places, space: string, times: number): void {
  for (let time = 0; time < times; time++) places.giveBack(space);
}

const refused = async (place: unknown) => {
  await assert.rejects(async () => await place, NoPlace);
};

Deno.test("no space takes more than it leaves, and all of them leave an eighth", async () => {
  const places = new Places(32);
  const spaces = ["a", "b", "c", "d", "e", "f"];
  const found = spaces.map((space) => takeAll(places, space));
  assert.deepEqual(found.map(({ taken }) => taken), [14, 7, 4, 2, 1, 0]);
  giveBack(places, "a", 14);
  for (const { next } of found) assert.ok(await next > 0);
});

Deno.test("there is a place in the smallest of pools, and no bound where a pool has none", async () => {
  for (const [connections, alone] of [[1, 1], [2, 1], [4, 2], [8, 4], [100, 44]] as const) {
    const places = new Places(connections);
    const { taken, next } = takeAll(places, "a");
    assert.equal(taken, alone, `of ${connections}`);
    giveBack(places, "a", taken);
    await next;
  }
  const endless = new Places(0);
  for (let taken = 0; taken < 5_000; taken++) assert.equal(endless.take("a", LONG), LONG);
});

Deno.test("who waits is let in by turns: everybody's first before anybody's second", async () => {
  const places = new Places(1);
  const order: string[] = [];
  const wait = async (space: string, name: string) => {
    await places.take(space, LONG);
    order.push(name);
    places.giveBack(space);
  };
  assert.equal(places.take("a", LONG), LONG);
  const waiting = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) => wait(name[0]!, name));
  places.giveBack("a");
  await Promise.all(waiting);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(places.take("b", LONG), LONG, "all were given back");
});

Deno.test("waiting counts towards the time, and ends with it", async () => {
  const places = new Places(1);
  places.take("a", LONG);
  await refused(places.take("a", 1));
  await refused(places.take("b", 1));
  const began = performance.now();
  const place = places.take("b", LONG);
  await new Promise((resolve) => setTimeout(resolve, 20));
  places.giveBack("a");
  const left = await place;
  const waited = performance.now() - began;
  assert.ok(left <= LONG - 19 && left >= Math.floor(LONG - waited), `${left} left`);
  assert.ok(Number.isInteger(left));
});

Deno.test("a thousand of one space wait at most, whoever else does", async () => {
  const places = new Places(1);
  places.take("a", LONG);
  const waiting = Array.from({ length: 1_000 }, () => places.take("a", LONG));
  await refused(places.take("a", LONG));
  const other = places.take("b", LONG);
  giveBack(places, "a", 2);
  await other;
  places.giveBack("b");
  giveBack(places, "a", 999);
  await Promise.all(waiting);
});
