/**
 * A process that uploads one file in pieces, cancels another upload, and kills itself by SIGKILL
 * before a given step: see resumed_upload_crashes_test.ts. It reports each response before it
 * continues.
 */

import { systemClock } from "@/lib/clock.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { type App, createApp } from "@/routes/app.ts";
import { withSteps } from "../support/with_steps.ts";
import { announceFileSteps, killedBefore, say, saySessions } from "./sacrifice.ts";

export interface Orders {
  readonly settings: Readonly<Record<string, string>>;
  readonly secretKey: string;
  /** The step before which the process kills itself, counted from 1. */
  readonly at: number;
  /** Milliseconds by which its clock is ahead. */
  readonly ahead: number;
  readonly size: number;
}

export type Said =
  | { readonly said: "requested"; readonly upload: VictimUpload }
  | { readonly said: "arrived"; readonly filePath: string; readonly offset: number }
  | { readonly said: "confirmed" | "cancelling" | "cancelled"; readonly filePath: string };

export interface VictimUpload {
  readonly filePath: string;
  readonly path: string;
  readonly size: number;
}

const TYPE = "text/plain";
const CANCELLED_BYTES = 10;

/** Returns content that depends on the path, which makes bytes of another file noticeable. */
export const bytesOf = (filePath: string, size: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    Array.from({ length: Math.ceil(size / 100) }, (_, i) => `${i} ${filePath}`.padEnd(100)).join(
      "",
    ),
  ).slice(0, size);

const report = (said: Said): void => say(said);

async function run({ settings, secretKey, at, ahead, size }: Orders): Promise<void> {
  const step = killedBefore(at);
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  saySessions();
  const config = loadConfig({ ...settings, RATE_LIMITS: "off" });
  await using services = await openServices(config, { log: silentLog, clock });
  announceFileSteps(step);
  const send = senderOf(createApp(withSteps(services, step)), secretKey);

  const upload = await request(send, size);
  const { filePath } = upload;
  const bytes = bytesOf(filePath, size);
  const middle = Math.floor(size / 6);
  await patch(send, upload, { from: 0, bytes: bytes.subarray(0, middle) });
  await patch(send, upload, { from: middle, bytes: bytes.subarray(middle) });
  await send("POST", "/api/storage/upload-confirm", { body: JSON.stringify({ filePath, size }) });
  report({ said: "confirmed", filePath });

  const given = await request(send, CANCELLED_BYTES);
  await patch(send, given, { from: 0, bytes: bytesOf(given.filePath, 5) });
  report({ said: "cancelling", filePath: given.filePath });
  await send("DELETE", given.path, {});
  report({ said: "cancelled", filePath: given.filePath });
  await step();
}

type Send = ReturnType<typeof senderOf>;

/** Returns a function that sends a request, and throws if the response is an error. */
const senderOf = (app: App, secretKey: string) =>
async (
  method: string,
  path: string,
  { body, headers = {} }: { body?: BodyInit; headers?: Record<string, string> },
): Promise<string> => {
  const request = new Request(new URL(path, "http://localhost:8000"), {
    method,
    headers: { "x-api-key": secretKey, "content-type": "application/json", ...headers },
    ...body !== undefined && { body },
  });
  const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
};

async function request(send: Send, size: number): Promise<VictimUpload> {
  const asked = { filename: "file.txt", contentType: TYPE, size };
  const text = await send("POST", "/api/storage/upload-request", { body: JSON.stringify(asked) });
  const { filePath, resumableUrl } = JSON.parse(text);
  const upload = { filePath, path: new URL(resumableUrl).pathname, size };
  report({ said: "requested", upload });
  return upload;
}

async function patch(
  send: Send,
  { filePath, path }: VictimUpload,
  { from, bytes }: { from: number; bytes: Uint8Array<ArrayBuffer> },
): Promise<void> {
  const middle = Math.ceil(bytes.length / 2);
  const body = ReadableStream.from([bytes.subarray(0, middle), bytes.subarray(middle)]);
  const headers = {
    "content-type": "application/offset+octet-stream",
    "upload-offset": String(from),
  };
  await send("PATCH", path, { body, headers });
  report({ said: "arrived", filePath, offset: from + bytes.length });
}

if (import.meta.main) await run(JSON.parse(Deno.args[0]!));
