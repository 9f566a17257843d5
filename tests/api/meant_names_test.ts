/** What is unknown is answered with the name that was meant, wherever it stands. */

import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";

Deno.test("a collection that is missing is named, with the one that was meant", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app, { name: "posts" });
  await project.collection({ name: "notes" });
  const cases: [string, RegExp][] = [
    ["post", /: "post"\. Did you mean "posts"\?$/],
    ["Notes", /: "Notes"\. Did you mean "notes"\?$/],
    ["orders", /: "orders"\.$/],
  ];
  for (const [name, why] of cases) {
    for (const path of [`/api/data/${name}`, `/api/data/${name}/aggregate?count=true`]) {
      refused(await project.asPublic({ path }), 404, "COLLECTION_NOT_FOUND", why);
    }
    const schema = await project.asPublic({ path: `/api/schemas/${name}` });
    refused(schema, 404, "COLLECTION_NOT_FOUND", why);
    const written = await project.asSecret({ path: `/api/data/${name}`, body: {} });
    refused(written, 404, "COLLECTION_NOT_FOUND", why);
  }
  await project.collection({ name: "order" });
  const soon = await project.asPublic({ path: "/api/data/orders" });
  refused(soon, 404, "COLLECTION_NOT_FOUND", /Did you mean "order"\?$/);
});

Deno.test("a missing collection names none of another project", async () => {
  await using app = await openTestApp();
  await createTestCollection(app, { name: "secrets" });
  const other = await app.project();
  const answer = await other.asSecret({ path: "/api/data/secret" });
  refused(answer, 404, "COLLECTION_NOT_FOUND", /: "secret"\.$/);
});

Deno.test("an undeclared field of a strict document names the declared one", async () => {
  await using app = await openTestApp();
  const fields = [
    { key: "title", type: "String" },
    { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
  ];
  const collection = await createTestCollection(app, { fields, strict: true });
  const { _id } = await collection.insertOne({ title: "a" });
  const refuse = (answer: Parameters<typeof refused>[0], why: RegExp) =>
    refused(answer, 400, "INVALID_DOCUMENT", why);
  await collection.untouched(async () => {
    const meant = /"titel" is not declared \(did you mean "title"\?\)\.$/;
    refuse(await collection.asSecret({ body: { titel: "b" } }), meant);
    const patch = (body: unknown) =>
      collection.asSecret({ method: "PATCH", path: `/${_id}`, body });
    refuse(await patch({ titel: "b" }), meant);
    refuse(await patch({ "place.ctiy": "b" }), /\(did you mean "place\.city"\?\)/);
    refuse(await patch({ place: { ctiy: "b" } }), /\(did you mean "city"\?\)/);
    refuse(await patch({ title: { $ste: 1 } }), /has no operator "\$ste"/);
    refuse(await patch({ title: { $icn: 1 } }), /\(did you mean "\$inc"\?\)/);
  });
});

Deno.test("a batch names the action, the member and the collection that was meant", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app, { name: "posts" });
  const batch = (operation: unknown) =>
    project.asSecret({ path: "/api/batch", body: { operations: [operation] } });
  const create = { action: "create", collection: "posts", document: {} };
  refused(
    await batch({ ...create, action: "craete" }),
    400,
    "INVALID_BODY",
    /Did you mean "create"\?$/,
  );
  refused(
    await batch({ ...create, documnet: {} }),
    400,
    "INVALID_BODY",
    /Did you mean "document"\?$/,
  );
  refused(
    await batch({ ...create, collection: "post" }),
    404,
    "COLLECTION_NOT_FOUND",
    /Did you mean "posts"\?$/,
  );
});
