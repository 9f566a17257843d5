import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import type { TestApp, TestUser } from "../support/test_app.ts";
import { CONFIRM, putSigned, REQUEST, type RequestedUpload } from "./files.ts";
import { ok } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

export const PICTURE = { filename: "cat.png", contentType: "image/png", size: 16 };

/** Opens a project whose users may upload files, under given rules. */
export async function openUploads(app: TestApp, files: object = {}) {
  const owner = await createTestOwner(app);
  const { project } = owner;
  const set = (files: object) => owner.asOwner({ method: "PATCH", path: "", body: { files } });
  ok(await set({ userUploads: "signed-in", ...files }));
  const ask = (user: TestUser, input: object = {}) =>
    project.asPublic({ path: REQUEST, body: { ...PICTURE, ...input } }, user);
  async function request(user: TestUser, input: object = {}): Promise<RequestedUpload> {
    const answer = await ask(user, input);
    assert.equal(answer.status, 200, answer.text);
    return { ...PICTURE, ...input, ...answer.body };
  }
  async function upload(user: TestUser, input: object = {}): Promise<RequestedUpload> {
    const requested = await request(user, input);
    assert.equal(await putSigned(app, requested), 200);
    assert.equal((await project.asPublic(confirmCall(requested), user)).status, 200);
    return requested;
  }
  return { app, owner, project, set, ask, request, upload };
}

export const confirmCall = ({ filePath, size }: RequestedUpload): Call => ({
  path: CONFIRM,
  body: { filePath, size },
});

/** Returns the path of a confirmed file of a user or of the server. */
export async function uploadConfirmed(
  { app, project, upload }: Awaited<ReturnType<typeof openUploads>>,
  { user, ...input }: { readonly user: TestUser | null; readonly visibility?: string },
): Promise<string> {
  if (user !== null) return (await upload(user, input)).filePath;
  const body = { ...PICTURE, ...input };
  const requested = { ...body, ...(await project.asSecret({ path: REQUEST, body })).body };
  assert.equal(await putSigned(app, requested), 200);
  ok(await project.asSecret(confirmCall(requested)));
  return requested.filePath;
}
