import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { NOBODY, ok, openShelf, refused } from "./shelf.ts";

const PATH = "/collections/posts/documents";

Deno.test("a member reads any document, whoever owns it; one they hold is 304", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, { rls: { mode: "private" } });
  const desk = await openDesk(app, shelf.project);
  const ann = await shelf.project.user();
  const { _id } = ok(await shelf.asPublic({ body: { n: 1 } }, ann), 201);
  const answer = await desk.as("viewer", { path: `${PATH}/${_id}` });
  assert.equal(ok(answer).n, 1);
  assert.deepEqual(ok(await desk.asOwner({ path: `${PATH}/${_id}?fields=n&meta=false` })), {
    _id,
    n: 1,
  });
  const held = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await desk.asOwner({ path: `${PATH}/${_id}`, headers: held })).status, 304);
});

Deno.test("what is not there is 404, what is no id or no query 400", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const desk = await openDesk(app, shelf.project);
  const { _id } = await shelf.insertOne();
  const foreign = await (await openShelf(app)).insertOne();
  const get = (rest: string) => desk.asOwner({ path: `${PATH}/${rest}` });
  for (const id of [NOBODY, foreign._id]) refused(await get(id), 404, "DOCUMENT_NOT_FOUND");
  refused(await get("x"), 400, "INVALID_ID");
  refused(await get(`${_id}?what=1`), 400, "INVALID_QUERY");
  const elsewhere = await desk.asOwner({ path: `/collections/none/documents/${_id}` });
  refused(elsewhere, 404, "COLLECTION_NOT_FOUND");
});
