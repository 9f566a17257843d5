import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { textBytes, uploadFile } from "./blobs.ts";
import { openFiles } from "./files.ts";

export const TEXT = "0123456789";

export const get = (
  app: TestApp,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> => app.send({ path: `/files/${path}`, headers });

export const head = (
  app: TestApp,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> => app.send({ method: "HEAD", path: `/files/${path}`, headers });

/** Opens a project with one confirmed file that contains {@linkcode TEXT}. */
export async function openOne() {
  const app = await openTestApp();
  const files = await openFiles(app);
  return { app, files, path: await uploadFile(files, textBytes(TEXT)) };
}

/** Parses a `multipart/byteranges` body as RFC 2046 defines it. */
export function partsOf({ headers, text }: Answer): { head: string; body: string }[] {
  const [, boundary] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(
    headers.get("content-type")!,
  )!;
  assert.equal(Number(headers.get("content-length")), text.length);
  const [preamble, ...parts] = text.split(`\r\n--${boundary}`);
  assert.equal(preamble, "");
  assert.equal(parts.pop(), "--\r\n");
  return parts.map((part) => {
    const at = part.indexOf("\r\n\r\n");
    return { head: part.slice(2, at), body: part.slice(at + 4) };
  });
}
