/**
 * A process that uploads one file in pieces and cancels another upload, and ends itself by SIGKILL
 * when it is about to take a step: see resumed_upload_crashes_test.ts. What it was answered it says
 * before it goes on.
 */

import { systemClock } from "@/lib/clock.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { type App, createApp } from "@/routes/app.ts";
import { stepped } from "../support/stepped.ts";
import { announceFileSteps, killedBefore, say, saySessions } from "./sacrifice.ts";

export interface Orders {
  readonly settings: Readonly<Record<string, string>>;
  readonly secretKey: string;
  /** The step before which it ends, counted from 1. */
  readonly at: number;
  /** How far its clock is ahead, in milliseconds. */
  readonly ahead: number;
  /** Bytes of the file that it uploads. */
  readonly size: number;
}

/** What it says, a line each. */
export type Said =
  | { readonly said: "requested"; readonly upload: VictimUpload }
  | { readonly said: "arrived"; readonly filePath: string; readonly offset: number }
  | { readonly said: "confirmed" | "cancelling" | "cancelled"; readonly filePath: string };

export interface VictimUpload {
  readonly filePath: string;
  /** Where its pieces go. */
  readonly path: string;
  readonly size: number;
}

const TYPE = "text/plain";
const CANCELLED_BYTES = 10;

/** The content follows from the path, so that a piece of another is noticed. */
export const bytesOf = (filePath: string, size: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    Array.from({ length: Math.ceil(size / 100) }, (_, i) => `${i} ${filePath}`.padEnd(100)).join(
      "",
    ),
  ).slice(0, size);

const tell = (said: Said): void => say(said);

async function run({ settings, secretKey, at, ahead, size }: Orders): Promise<void> {
  const step = killedBefore(at);
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  saySessions();
  const config = loadConfig({ ...settings, RATE_LIMITS: "off" });
  await using services = await openServices(config, { log: silentLog, clock });
  announceFileSteps(step);
  const send = senderOf(createApp(stepped(services, step)), secretKey);

  const upload = await request(send, size);
  const { filePath } = upload;
  const bytes = bytesOf(filePath, size);
  const middle = Math.floor(size / 6);
  await patch(send, upload, { from: 0, bytes: bytes.subarray(0, middle) });
  await patch(send, upload, { from: middle, bytes: bytes.subarray(middle) });
  await send("POST", "/api/storage/upload-confirm", { body: JSON.stringify({ filePath, size }) });
  tell({ said: "confirmed", filePath });

  const given = await request(send, CANCELLED_BYTES);
  await patch(send, given, { from: 0, bytes: bytesOf(given.filePath, 5) });
  tell({ said: "cancelling", filePath: given.filePath });
  await send("DELETE", given.path, {});
  tell({ said: "cancelled", filePath: given.filePath });
  await step();
}

type Send = ReturnType<typeof senderOf>;

/** Fails unless it is answered well. */
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
  tell({ said: "requested", upload });
  return upload;
}

/** Sends bytes in two chunks. */
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
  tell({ said: "arrived", filePath, offset: from + bytes.length });
}

if (import.meta.main) await run(JSON.parse(Deno.args[0]!));
