import assert from "node:assert/strict";
import { createOwnedProject, joinProject, openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/api/projects";
const names = (items: { name: string }[]) => items.map(({ name }) => name);

Deno.test("listProjects returns the account's projects, the latest joined first", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app, { plan: "pro" })];
  assert.deepEqual(ok(await account.send({ path: PATH })), { items: [], nextCursor: null });
  await createOwnedProject(account, { name: "a" });
  app.clock.advance(1000);
  const shared = await createOwnedProject(other, { name: "b" });
  await createOwnedProject(other, { name: "c" });
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

Deno.test("listProjects returns each project once over all pages", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  for (const name of ["a", "b", "c", "d", "e"]) {
    app.clock.advance(1000);
    await createOwnedProject(account, { name });
  }
  const seen: string[] = [];
  let path = `${PATH}?limit=2`;
  for (let pages = 1;; pages++) {
    const { items, nextCursor } = ok(await account.send({ path }));
    seen.push(...names(items));
    if (nextCursor === null) break;
    assert.ok(pages < 3);
    path = `${PATH}?limit=2&cursor=${encodeURIComponent(nextCursor)}`;
  }
  assert.deepEqual(seen, ["e", "d", "c", "b", "a"]);
});

Deno.test("listProjects omits projects in the trash and continues behind them", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const active = await createOwnedProject(account, { name: "active" });
  app.clock.advance(1000);
  const trashed = await createOwnedProject(account, { name: "trashed" });
  const path = `${PATH}/${trashed.projectId}`;
  ok(await account.send({ method: "DELETE", path, body: { name: "trashed" } }));
  const first = ok(await account.send({ path: `${PATH}?limit=1` }));
  assert.deepEqual(first.items, []);
  const rest = `${PATH}?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`;
  const { items } = ok(await account.send({ path: rest }));
  assert.deepEqual(items.map(({ projectId }: { projectId: string }) => projectId), [
    active.projectId,
  ]);
});

Deno.test("listProjects refuses a foreign cursor and unknown parameters", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  for (const one of [account, other]) {
    for (const name of ["a", "b"]) await createOwnedProject(one, { name });
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
