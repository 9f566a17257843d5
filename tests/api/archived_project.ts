import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { saveView } from "@/lib/documents/views.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { archiveOf } from "./archives.ts";
import { openFiles } from "./files.ts";

const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "code", type: "String", unique: true },
    { key: "photo", type: "String", file: true },
    { key: "at", type: "Date" },
  ],
  rls: { mode: "public-read" },
};
/** The entry with the first documents. */
export const FIRST = "collections/posts/0000001.ndjson";
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
);

export interface Furnished {
  readonly project: TestProject;
  readonly photo: string;
}

/** A project with documents, users and a file. */
export async function furnished(app: TestApp, count = 3): Promise<Furnished> {
  const files = await openFiles(app);
  const { project } = files;
  await project.collection(POSTS);
  const photo = await files.keep(PNG, "image/png", "one.png");
  for (let n = 0; n < count; n++) {
    const body = { title: `Post ${n}`, code: `code-${n}`, ...(n === 0 && { photo }) };
    const { status, text } = await project.asSecret({ path: "/api/data/posts", body });
    assert.equal(status, 201, text);
  }
  await createUser(app.services, project.projectId, { email: "ada@example.com", verified: true });
  const view = { name: "Codes", query: "sort=code", columns: null };
  await saveView(app.services, project.projectId, { collectionName: "posts", ...view });
  return { project, photo };
}

/** The archive of such a project, and an app that knows nothing of it. */
export async function archived(count?: number, passphrase: string | null = null) {
  await using there = await openTestApp();
  const { project, photo } = await furnished(there, count);
  const { bytes, end } = await archiveOf(there.services, project.projectId, { passphrase });
  return { bytes, end, photo, projectId: project.projectId, keys: project };
}

/** Records as an entry of an archive has them. */
export const linesOf = (records: readonly unknown[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join("");
