import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { compileErrors } from "./compiled.ts";
import { createTestOwner } from "./test_owner.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";

const STATUS = { key: "status", type: "String", enum: ["draft", "live"], default: "draft" };
const TAGS = { key: "tags", type: "Array", items: { type: "String", enum: ["a", "b"] } };

const DEFINITION = { fields: [STATUS, TAGS], rls: { enabled: false } };

Deno.test("every write refuses a value outside of an enum and stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  const { _id } = ok(await collection.asSecret({ body: { tags: ["a", null] } }), 201);
  const at = `/${_id}`;
  await collection.untouched(async () => {
    for (
      const [body, path] of [
        [{ status: "Live" }, "status"],
        [{ status: "" }, "status"],
        [{ tags: ["c"] }, "tags.0"],
      ] as const
    ) {
      for (
        const sent of [
          { body },
          { path: at, method: "PUT", body },
          { path: at, method: "PATCH", body },
          { path: "/bulk", body: { documents: [{}, body] } },
        ]
      ) {
        const answer = await collection.asSecret(sent);
        refused(answer, 400, "INVALID_DOCUMENT", path);
        assert.match(answer.text, /must be one of/);
      }
    }
    for (const tags of [{ $push: "c" }, { $addToSet: "c" }]) {
      refused(
        await collection.asSecret({ path: at, method: "PATCH", body: { tags } }),
        400,
        "INVALID_DOCUMENT",
        "tags",
      );
    }
  });
  const patched = await collection.asSecret({
    path: at,
    method: "PATCH",
    body: { status: "live", tags: { $push: "b" } },
  });
  assert.deepEqual(ok(patched).tags, ["a", null, "b"]);
});

Deno.test("updateCollection refuses an enum that stored documents break, and names them", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const field = (values?: readonly string[]) => ({
    key: "status",
    type: "String",
    ...(values && { enum: values }),
  });
  await owner.project.collection({ name: "posts", fields: [field()] });
  const path = "/api/data/posts";
  const { _id } = ok(await owner.project.asSecret({ path, body: { status: "old" } }), 201);
  ok(await owner.project.asSecret({ path, body: { status: "live" } }), 201);
  const put = (values?: readonly string[]) =>
    owner.asOwner({ method: "PUT", path: "/collections/posts", body: { fields: [field(values)] } });
  const conflict = await put(["draft", "live"]);
  refused(conflict, 409, "DEFINITION_CONFLICT", _id);
  assert.match(conflict.text, /must be one of/);
  assert.equal(
    ok(await owner.asOwner({ path: "/collections" })).items[0].fields[0].enum,
    undefined,
  );
  const narrow = ok(await put(["old", "live"]));
  assert.deepEqual(narrow.fields[0].enum, ["old", "live"]);
  assert.deepEqual(ok(await put(["old", "live", "new"])).fields[0].enum.length, 3);
  refused(await put(["live"]), 409, "DEFINITION_CONFLICT", _id);
  ok(await put());
});

Deno.test("the project's OpenAPI document and types contain the values of an enum", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const { project } = owner;
  await project.collection({ name: "posts", ...DEFINITION });
  const home = `/api/projects/${project.projectId}`;
  const document = await project.asSecret({ path: `${home}/openapi.json` });
  const { properties } = JSON.parse(document.text).components.schemas.PostsCreate;
  assert.deepEqual(properties.status.enum, ["draft", "live", null]);
  assert.deepEqual(properties.tags.items.enum, ["a", "b", null]);
  const types = (await project.asSecret({ path: `${home}/types.ts` })).text;
  const compile = (status: string) =>
    compileErrors(
      `import type { Project } from "./types.ts";
export const made: Project["collections"]["posts"]["create"] = { status: ${status}, tags: ["a"] };
`,
      { "types.ts": types },
    );
  assert.equal(await compile('"live"'), "");
  assert.match(await compile('"lively"'), /not assignable/);
});
