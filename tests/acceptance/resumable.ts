/** Resumable uploads over HTTP. */

import assert from "node:assert/strict";
import { type Answer, type Project, send } from "./project.ts";
import { connect, type RawConnection } from "./raw.ts";
import type { Server } from "./server.ts";
import { until } from "./until.ts";

const SOON_MS = 60_000;
const HOUR_MS = 3_600_000;
export const OFFSET_TYPE = "application/offset+octet-stream";

export interface Upload {
  readonly filePath: string;
  readonly path: string;
  readonly size: number;
}

export async function request(
  server: Server,
  { secretKey: key }: Project,
  size: number,
): Promise<Upload> {
  const body = { filename: "a.bin", contentType: "application/octet-stream", size };
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  const { filePath, resumableUrl } = answer.body;
  return { filePath, path: new URL(resumableUrl).pathname, size };
}

export const confirm = (
  server: Server,
  { secretKey: key }: Project,
  { filePath, size }: Upload,
): Promise<Answer> =>
  send(server, { path: "/api/storage/upload-confirm", key, body: { filePath, size } });

export const head = (server: Server, { path }: Upload): Promise<Answer> =>
  send(server, { method: "HEAD", path });

export const offsetOf = async (server: Server, upload: Upload): Promise<number> =>
  Number((await head(server, upload)).headers.get("upload-offset"));

export async function patch(
  { http: client, url }: Server,
  { path }: Upload,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const headers = { "content-type": OFFSET_TYPE, "upload-offset": String(offset) };
  const answer = await fetch(url + path, { method: "PATCH", headers, body, client });
  await answer.body?.cancel();
  return answer.status;
}

/** Reads the offset and resumes the upload, repeatedly, until it is complete. */
export async function resumeToEnd(
  server: Server,
  upload: Upload,
  file: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await until("the upload is complete", async () => {
    const offset = await offsetOf(server, upload);
    const status = await patch(server, upload, offset, file.slice(offset));
    assert.ok([204, 409, 423, 503].includes(status), `at ${offset} the status was ${status}`);
    return status === 204;
  }, SOON_MS);
}

export async function fetchServed(server: Server, confirmed: Answer): Promise<Uint8Array> {
  assert.equal(confirmed.status, 200, confirmed.text);
  const response = await fetch(confirmed.body.url, { client: server.http });
  return await response.bytes();
}

export const patchHead = ({ path }: Upload, offset: number, ...headers: string[]): string =>
  [
    `PATCH ${path} HTTP/1.1`,
    "host: localhost",
    "tus-resumable: 1.0.0",
    `content-type: ${OFFSET_TYPE}`,
    `upload-offset: ${offset}`,
    ...headers,
    "",
    "",
  ].join("\r\n");

/** Starts an upload on a separate connection, and waits until the server has started to read it. */
export async function startUpload(
  server: Server,
  upload: Upload,
  bytes: string | Uint8Array,
  lengthHeader: string,
): Promise<RawConnection> {
  const connection = await connect(server.port);
  await connection.write(patchHead(upload, 0, lengthHeader));
  await connection.write(bytes);
  // A started upload is kept for a day.
  const hasBegun = async () => {
    const expires = (await head(server, upload)).headers.get("upload-expires")!;
    return Date.parse(expires) > Date.now() + HOUR_MS;
  };
  await until("the upload has started", hasBegun, SOON_MS);
  return connection;
}

/** Returns bytes that differ by position. */
export function manyBytes(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4)).map((_, i) => Math.imul(i, 2_654_435_761));
  return new Uint8Array(words.buffer, 0, length);
}

export function assertSameBytes(got: Uint8Array, expected: Uint8Array): void {
  assert.equal(got.length, expected.length);
  assert.ok(got.every((byte, i) => byte === expected[i]), "the file has other bytes");
}
