import assert from "node:assert/strict";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { compileErrors } from "./compiled.ts";
import { openTestApp } from "../support/test_app.ts";

Deno.test("getClientTypes serves the declared types with an ETag", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/client.d.ts" });
  const file = new URL("../../client/client.d.ts", import.meta.url);
  assert.equal(answer.text, await Deno.readTextFile(file));
  assert.match(answer.headers.get("content-type")!, /^application\/typescript/);
  const headers = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await app.send({ path: "/client.d.ts", headers })).status, 304);
});

const PROGRAM = `
import { createClient, CorbelError } from "./client.d.ts";
import type { Project } from "./types.ts";

const corbel = createClient<Project>({ url: "http://localhost:8000", key: "pk_live_x" });
const posts = corbel.from("posts");

const page = await posts.list({ where: { views: { gt: 5 } }, sort: "-createdAt", limit: 20 });
export const title: string = page.items[0]!.title;
export const views: number | null | undefined = page.items[0]!.views;

const some = await posts.list({ fields: ["title"], populate: ["author", "comments(post)"] });
export const picked: string = some.items[0]!.title;
export const comment: string | undefined = some.items[0]!.comments?.[0]?.text;
const full = await posts.get("id", { populate: ["author"] });
if (typeof full.author === "object" && full.author !== null) {
  const name: string | null = full.author.name;
  console.log(name);
}
for await (const { items } of posts.pages({ limit: 10 })) console.log(items[0]!.title);
await posts.create({ title: "Hello" });
await posts.patch("id", { views: { $inc: 1 }, tags: { $push: "new" } });
await corbel.batch([{ action: "patch", collection: "posts", id: "id", document: { title: "x" } }]);
posts.live({ where: { title: "x" } }, { items: (items) => console.log(items[0]!.title) });
const user = await corbel.auth.signUp({ email: "a@b.c", password: "secret", company: "Acme" });
export const company: string | null | undefined = user?.company;
export const code = (error: unknown) => error instanceof CorbelError ? error.code : null;

// @ts-expect-error The collection does not exist.
corbel.from("nothing");
// @ts-expect-error A field is misspelt.
await posts.create({ titel: "Hello" });
// @ts-expect-error A required field is missing.
await posts.create({ views: 1 });
// @ts-expect-error A number field is compared with a string.
await posts.list({ where: { views: { gt: "5" } } });
// @ts-expect-error The operator does not apply to a number.
await posts.patch("id", { views: { $push: 1 } });
// @ts-expect-error The field does not exist.
await posts.list({ fields: ["titel"] });
// @ts-expect-error The field is not a reference.
await posts.list({ populate: ["title"] });
// @ts-expect-error The field was not selected.
console.log(some.items[0]!.views);
// @ts-expect-error The document has the fields of another collection.
await corbel.batch([{ action: "create", collection: "posts", document: { text: "x" } }]);
// @ts-expect-error A declared field of users is misspelt.
await corbel.auth.signUp({ email: "a@b.c", password: "secret", compny: "Acme" });
`;

Deno.test("a client with a project's types compiles correct calls and rejects each mistake", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({
    name: "posts",
    fields: [
      { key: "title", type: "String", required: true },
      { key: "views", type: "Number" },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "author", type: "Ref", ref: "users" },
    ],
  });
  await project.collection({
    name: "comments",
    fields: [
      { key: "post", type: "Ref", ref: "posts" },
      { key: "text", type: "String", required: true },
    ],
  });
  await saveUserFields(app.services, project.projectId, [{ key: "company", type: "String" }]);
  const types = await project.asPublic({ path: `/api/projects/${project.projectId}/types.ts` });
  const client = await app.send({ path: "/client.d.ts" });
  // The compiler also reports an expected error that does not occur.
  const files = { "types.ts": types.text, "client.d.ts": client.text };
  assert.equal(await compileErrors(PROGRAM, files), "");
});

Deno.test("a client without a project's types accepts any collection and field", async () => {
  await using app = await openTestApp();
  const client = await app.send({ path: "/client.d.ts" });
  const program = `
import { createClient } from "./client.d.ts";
const corbel = createClient({ url: "http://localhost:8000", key: "pk_live_x" });
const { items } = await corbel.from("anything").list({ where: { a: 1 }, populate: ["b.c"] });
console.log(items[0]!.whatever, corbel.auth.user?.email);
`;
  assert.equal(await compileErrors(program, { "client.d.ts": client.text }), "");
});
