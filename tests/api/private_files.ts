import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import type { TestApp } from "../support/test_app.ts";
import { CONFIRM, FILE, putSigned, REQUEST, type RequestedUpload } from "./files.ts";
import { ok } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

export const NOTE = {
  filename: "note.txt",
  contentType: "text/plain",
  size: 10,
  visibility: "private",
};

/** Opens a project whose users may upload files of every type. */
export async function openPrivate(app: TestApp) {
  const owner = await createTestOwner(app);
  const { project } = owner;
  ok(
    await owner.asOwner({
      method: "PATCH",
      path: "",
      body: {
        files: {
          userUploads: "signed-in",
          userTypes: ["*/*"],
        },
      },
    }),
  );
  async function upload(input: object = {}): Promise<RequestedUpload> {
    const asked = await project.asSecret({ path: REQUEST, body: { ...NOTE, ...input } });
    assert.equal(asked.status, 200, asked.text);
    const requested = { ...NOTE, ...input, ...asked.body };
    assert.equal(await putSigned(app, requested), 200);
    return requested;
  }
  const confirm = ({ filePath, size }: RequestedUpload) =>
    project.asSecret({ path: CONFIRM, body: { filePath, size } });
  async function stored(input: object = {}): Promise<string> {
    const requested = await upload(input);
    assert.equal((await confirm(requested)).status, 200);
    return requested.filePath;
  }
  const change = (path: string, visibility: string) =>
    owner.asOwner({ method: "PATCH", path: "/files", body: { path, visibility } });
  const places = async (path: string) => {
    const { internal } = app.services.blobStores;
    const found = [];
    for (const place of ["staged", "private", "stored"] as const) {
      if (await internal.stat(place, path) !== null) found.push(place);
    }
    return found;
  };
  return { app, owner, project, upload, confirm, stored, change, places };
}

export const signCall = (path: string, more: object = {}): Call => ({
  path: "/api/storage/sign",
  body: { path, ...more },
});

export const readCall = (path: string): Call => ({
  path: `${FILE}?${new URLSearchParams({ path })}`,
});

/** Fetches an address as an anonymous browser does and returns the status and text. */
export async function fetchText(
  app: TestApp,
  address: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  if (app.services.localFiles !== null) {
    const { pathname, search } = new URL(address);
    const answer = await app.open({ path: pathname + search, headers });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }
  using client = Deno.createHttpClient({});
  const answer = await fetch(address, { client, headers });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

export const publicAddress = ({ services }: TestApp, path: string): string =>
  services.blobStores.internal.publicUrl(path)!;
