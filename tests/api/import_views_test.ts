import assert from "node:assert/strict";
import { VIEW_QUERY_LENGTH_MAX, VIEWS_MAX } from "@/lib/limits.ts";
import { updateCollection } from "../support/given.ts";
import { openTestApp } from "../support/test_app.ts";
import { alterArchive, archiveOf, assertTraceless, importBytes } from "./archives.ts";

const POSTS = {
  name: "posts",
  fields: [{ key: "code", type: "String" }, { key: "at", type: "Date" }],
};

Deno.test("an import keeps saved views unchanged, also with fields that no longer exist", async () => {
  await using source = await openTestApp();
  const project = await source.project();
  await project.collection(POSTS);
  await project.collection({ name: "notes" });
  const views = (projectId: string, name: string) =>
    `/api/projects/${projectId}/collections/${name}/views`;
  const owner = await project.owner();
  const save = async (name: string, body: object) => {
    const path = `${views(project.projectId, "posts")}/${encodeURIComponent(name)}`;
    const { status, text } = await owner.send({ method: "PUT", path, body });
    assert.equal(status, 200, text);
  };
  await save("Newest: code", { query: "sort=-at&code_ne=x", columns: ["code", "at"] });
  await save("All", { query: "" });
  const withoutDate = {
    ...POSTS,
    fields: POSTS.fields.filter(({ key }) => key !== "at"),
    strict: true,
  };
  await updateCollection(source.services, project.projectId, withoutDate);
  const { body: { data: { items } } } = await owner.send({
    path: views(project.projectId, "posts"),
  });
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["All", "Newest: code"]);
  const { bytes } = await archiveOf(source.services, project.projectId);

  await using app = await openTestApp();
  const { projectId } = await importBytes(app.services, bytes);
  const reader = await app.known({ ...project, projectId }).owner();
  const listed = async (name: string) =>
    (await reader.send({ path: views(projectId, name) })).body.data.items;
  assert.deepEqual(await listed("posts"), items);
  assert.deepEqual(await listed("notes"), []);

  const [all] = items;
  for (
    const [views, why] of [
      [{ pages: [all] }, /views\.json has views of "pages"/],
      [{ posts: [{ ...all, name: "a/b" }] }, /views\.json/],
      [{ posts: [{ ...all, name: "\ud800" }] }, /views\.json/],
      [{ posts: [{ ...all, query: "a".repeat(VIEW_QUERY_LENGTH_MAX + 1) }] }, /views\.json/],
      [{ posts: [{ ...all, extra: 1 }] }, /views\.json/],
      [{ posts: Array(VIEWS_MAX + 1).fill(all) }, /views\.json/],
      [[], /views\.json/],
    ] as const
  ) {
    const wrong = await alterArchive(bytes, (entries) => {
      entries.set("views.json", JSON.stringify(views));
    });
    await using empty = await openTestApp();
    await assertTraceless(empty.services, () => importBytes(empty.services, wrong), why);
  }
});
