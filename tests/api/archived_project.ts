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
export const FIRST_POSTS = "collections/posts/0000001.ndjson";
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
);

export interface FurnishedProject {
  readonly project: TestProject;
  readonly photo: string;
}

/** Creates a project with documents, a user, a view and a file. */
export async function createFurnishedProject(app: TestApp, count = 3): Promise<FurnishedProject> {
  const files = await openFiles(app);
  const { project } = files;
  await project.collection(POSTS);
  const photo = await files.storeFile(PNG, "image/png", "one.png");
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

/** Exports a furnished project from an app of its own and returns the archive. */
export async function archiveFurnishedProject(count?: number, passphrase: string | null = null) {
  await using source = await openTestApp();
  const { project, photo } = await createFurnishedProject(source, count);
  const { bytes, end } = await archiveOf(source.services, project.projectId, { passphrase });
  return { bytes, end, photo, projectId: project.projectId, keys: project };
}

export const toNdjson = (records: readonly unknown[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join("");
