import assert from "node:assert/strict";
import { joinProject, openAccount, ownedProject } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/api/projects";
const names = (items: { name: string }[]) => items.map(({ name }) => name);

Deno.test("an account lists what it has a part in, the latest part first, and nothing else", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app, { plan: "pro" })];
  assert.deepEqual(ok(await account.send({ path: PATH })), { items: [], nextCursor: null });
  await ownedProject(account, { name: "a" });
  app.clock.advance(1000);
  const shared = await ownedProject(other, { name: "b" });
  await ownedProject(other, { name: "c" });
  app.clock.advance(1000);
  await joinProject(app.services, shared.projectId, account.accountId, "viewer");
  const { items } = ok(await account.send({ path: PATH }));
  assert.deepEqual(
    items.map(({ name, role, plan }: Record<string, string>) => [name, role, plan]),
    [
      ["b", "viewer", "pro"],
      ["a", "owner", "free"],
    ],
  );
  const { items: own } = ok(await other.send({ path: PATH }));
  assert.deepEqual(names(own).sort(), ["b", "c"]);
});

Deno.test("pages follow one another by their cursor, to the end", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  for (const name of ["a", "b", "c", "d", "e"]) {
    app.clock.advance(1000);
    await ownedProject(account, { name });
  }
  const met: string[] = [];
  let path = `${PATH}?limit=2`;
  for (let pages = 1;; pages++) {
    const { items, nextCursor } = ok(await account.send({ path }));
    met.push(...names(items));
    if (nextCursor === null) break;
    assert.ok(pages < 3);
    path = `${PATH}?limit=2&cursor=${encodeURIComponent(nextCursor)}`;
  }
  assert.deepEqual(met, ["e", "d", "c", "b", "a"]);
});

Deno.test("what is in the trash is not listed, and the list goes on behind it", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const kept = await ownedProject(account, { name: "kept" });
  app.clock.advance(1000);
  const gone = await ownedProject(account, { name: "gone" });
  const path = `${PATH}/${gone.projectId}`;
  ok(await account.send({ method: "DELETE", path, body: { name: "gone" } }));
  const first = ok(await account.send({ path: `${PATH}?limit=1` }));
  assert.deepEqual(first.items, []);
  const rest = `${PATH}?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`;
  const { items } = ok(await account.send({ path: rest }));
  assert.deepEqual(items.map(({ projectId }: { projectId: string }) => projectId), [
    kept.projectId,
  ]);
});

Deno.test("a cursor of another account, and parameters that are none, are 400", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  for (const one of [account, other]) {
    for (const name of ["a", "b"]) await ownedProject(one, { name });
  }
  const { nextCursor } = ok(await other.send({ path: `${PATH}?limit=1` }));
  for (const cursor of [nextCursor, "x", ""]) {
    const path = `${PATH}?cursor=${encodeURIComponent(cursor)}`;
    refused(await account.send({ path }), 400, "INVALID_CURSOR");
  }
  for (const query of ["limit=0", "limit=1001", "page=1", "limit=1&limit=2"]) {
    refused(await account.send({ path: `${PATH}?${query}` }), 400, "INVALID_QUERY");
  }
});
