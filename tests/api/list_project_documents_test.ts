import assert from "node:assert/strict";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { Engine } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { ok, openShelf, refused } from "./shelf.ts";

const PATH = "/collections/posts/documents";

Deno.test("members see every document, whoever owns it, as applications list them", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, {
    fields: [{ key: "n", type: "Number" }],
    rls: { mode: "private" },
  });
  const desk = await openDesk(app, shelf.project);
  const ann = await shelf.project.user();
  ok(await shelf.asPublic({ body: { n: 1 } }, ann), 201);
  await shelf.insert({ n: 2 }, { n: 3 });
  const names = async (query: string) =>
    ok(await desk.asOwner({ path: `${PATH}${query}` })).items.map(({ n }: { n: number }) => n);
  assert.deepEqual(await names("?sort=n"), [1, 2, 3]);
  assert.deepEqual(await names("?n_gt=1&sort=-n&limit=1"), [3]);
  assert.deepEqual(await names(`?userId=${ann.id}`), [1]);
  assert.equal(ok(await desk.as("viewer", { path: PATH })).total, 3);
  assert.equal(ok(await desk.asOwner({ path: `${PATH}?count=true` })).count, 3);
  const first = ok(await desk.asOwner({ path: `${PATH}?limit=2` }));
  const next = ok(await desk.asOwner({ path: `${PATH}?limit=2&cursor=${first.nextCursor}` }));
  assert.equal(next.items.length, 1);
  const plan = ok(await desk.asOwner({ path: `${PATH}?explain=true` }));
  assert.ok("examined" in plan.explain);
});

Deno.test("a list that is held already is 304", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const desk = await openDesk(app, shelf.project);
  const { headers } = await desk.asOwner({ path: PATH });
  const again = { path: PATH, headers: { "if-none-match": headers.get("etag")! } };
  assert.equal((await desk.asOwner(again)).status, 304);
  await shelf.insertOne();
  assert.equal((await desk.asOwner(again)).status, 200);
});

Deno.test("what cannot be listed is refused, as to applications", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { fields: [{ key: "n", type: "Number" }] });
  const desk = await openDesk(app, shelf.project);
  const list = (query: string) => desk.asOwner({ path: `${PATH}${query}` });
  refused(await list("?limit=0"), 400, "INVALID_QUERY", "limit");
  refused(await list("?n_foo=1"), 400, "UNKNOWN_OPERATOR");
  refused(await list("?cursor=x"), 400, "INVALID_CURSOR");
  refused(
    await desk.asOwner({ path: "/collections/none/documents" }),
    404,
    "COLLECTION_NOT_FOUND",
  );
  refused(
    await desk.asOwner({ path: "/collections/users/documents" }),
    404,
    "COLLECTION_NOT_FOUND",
  );
});

Deno.test("a list that takes too long is 503", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const { cookie } = await shelf.project.owner();
  const { engine: real } = app.services;
  const tooSlow = () => Promise.reject(new QueryTooSlow("n"));
  const engine: Engine = {
    ...real,
    records: (space, definition) =>
      definition.name.startsWith("posts.")
        ? new Proxy({}, { get: () => tooSlow }) as never // Fails as any.
        : real.records(space, definition),
  };
  const slow = createApp({ ...app.services, engine });
  const path = `/api/projects/${shelf.project.projectId}${PATH}`;
  refused(await send(slow, { path, headers: { cookie } }), 503, "QUERY_TOO_SLOW");
});
