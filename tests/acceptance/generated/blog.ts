import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createCollection, createProject, send } from "../project.ts";
import { startServer } from "../server.ts";

/** A folder and a server with a few posts, for a generated client. */
export interface Blog extends AsyncDisposable {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "slug", type: "String", unique: true },
    { key: "status", type: "String" },
    { key: "views", type: "Number", default: 0, index: true },
    { key: "featured", type: "Boolean" },
    { key: "publishedAt", type: "Date" },
    { key: "tags", type: "Array", items: { type: "String" } },
    {
      key: "place",
      type: "Object",
      fields: [{ key: "city", type: "String", required: true }, { key: "zip", type: "String" }],
    },
    { key: "authorId", type: "Ref", ref: "users" },
  ],
  rls: { enabled: false },
};
const COMMENTS = {
  name: "comments",
  fields: [
    { key: "postId", type: "Ref", ref: "posts", required: true },
    { key: "text", type: "String", required: true },
  ],
  rls: { enabled: false },
};
const TITLES = ["One", "Two", "Three", "Four", "Five"];

/** File names under which the programs read them. */
const TYPES = { "corbel.json": "openapi.json", "corbel_types.ts": "types.ts" };

export async function openBlog(language: string): Promise<Blog> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startServer());
  const project = await createProject(server.settings);
  for (const definition of [POSTS, COMMENTS]) {
    await createCollection(server.settings, project, definition);
  }
  const documents = TITLES.map((title, i) => ({
    title,
    slug: title.toLowerCase(),
    status: "published",
    views: i + 1,
    featured: i === 0,
    publishedAt: `2026-01-0${i + 1}T12:00:00.000Z`,
    tags: ["number"],
    place: { city: "Bern" },
    undeclared: { nobody: "knows" },
  }));
  const call = { key: project.secretKey };
  const filled = await send(server, { ...call, path: "/api/data/posts/bulk", body: { documents } });
  assert.equal(filled.status, 201, filled.text);

  const folder = await Deno.makeTempDir({ prefix: "corbel-generated-" });
  opening.defer(() => Deno.remove(folder, { recursive: true }));
  const source = fileURLToPath(new URL(language, import.meta.url));
  for await (const { name } of Deno.readDir(source)) {
    await Deno.copyFile(`${source}/${name}`, `${folder}/${name}`);
  }
  for (const [name, served] of Object.entries(TYPES)) {
    const path = `/api/projects/${project.projectId}/${served}`;
    const { status, text } = await send(server, { ...call, path });
    assert.equal(status, 200, text);
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }

  const opened = opening.move();
  return {
    folder,
    env: { CORBEL_URL: server.url, CORBEL_KEY: project.secretKey },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function assertOutput(printed: string): void {
  assert.deepEqual(JSON.parse(printed), {
    listed: TITLES,
    total: TITLES.length,
    filtered: ["Four", "Five"],
    asked: ["One", "Five"],
    created: ["Six", ["new"], "Bern"],
    createdIn: new Date().getUTCFullYear(),
    pages: [TITLES.slice(0, 4), ["Five", "Six"]],
    // Not exactly representable with 32 bits.
    patched: 16_777_218,
    commented: "Six",
    refused: [409, "DUPLICATE_VALUE"],
  });
}
