import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createCollection, createProject, send } from "../project.ts";
import { startServer } from "../server.ts";

/** Where a client is generated, built and run against a server that holds a few posts. */
export interface Blog extends AsyncDisposable {
  /** With the files of the language, and the document as it is served. */
  readonly folder: string;
  /** What the program of the language reads. */
  readonly env: Readonly<Record<string, string>>;
}

const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "views", type: "Number", index: true },
  ],
  rls: { enabled: false },
};
const TITLES = ["One", "Two", "Three", "Four", "Five"];

export async function openBlog(language: string): Promise<Blog> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startServer());
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, POSTS);
  const filled = await send(server, {
    path: "/api/data/posts/bulk",
    key: project.secretKey,
    body: { documents: TITLES.map((title, i) => ({ title, views: i + 1 })) },
  });
  assert.equal(filled.status, 201, filled.text);

  const folder = await Deno.makeTempDir({ prefix: "corbel-generated-" });
  opening.defer(() => Deno.remove(folder, { recursive: true }));
  const source = fileURLToPath(new URL(language, import.meta.url));
  for await (const { name } of Deno.readDir(source)) {
    await Deno.copyFile(`${source}/${name}`, `${folder}/${name}`);
  }
  const { text } = await send(server, { path: "/openapi.json" });
  await Deno.writeTextFile(`${folder}/openapi.json`, text);

  const opened = opening.move();
  return {
    folder,
    env: { CORBEL_URL: server.url, CORBEL_KEY: project.secretKey },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What the program of every language prints of that server. */
export function assertTried(printed: string): void {
  assert.deepEqual(JSON.parse(printed), {
    listed: TITLES,
    total: TITLES.length,
    created: "Six",
    createdIn: new Date().getUTCFullYear(),
    pages: [TITLES.slice(0, 4), ["Five", "Six"]],
    refused: [404, "COLLECTION_NOT_FOUND"],
  });
}
