/**
 * A process that uploads two files, deletes one of them, and kills itself by SIGKILL before a given
 * step: see upload_crashes_test.ts. It reports each response before it continues.
 */

import { systemClock } from "@/lib/clock.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { type App, createApp } from "@/routes/app.ts";
import { withSteps } from "../support/with_steps.ts";
import { announceFileSteps, killedBefore, say, saySessions, type Step } from "./sacrifice.ts";

export interface Orders {
  readonly settings: Readonly<Record<string, string>>;
  readonly secretKey: string;
  /** The step before which the process kills itself, counted from 1. */
  readonly at: number;
  /** Milliseconds by which its clock is ahead. */
  readonly ahead: number;
  /** Uploads whose confirm got no response. The process confirms them first. */
  readonly unanswered: readonly UnansweredUpload[];
}

export interface UnansweredUpload {
  readonly filePath: string;
  readonly size: number;
}

export type Said =
  | { readonly said: "requested"; readonly filePath: string; readonly size: number }
  | { readonly said: "put" | "deleting" | "deleted"; readonly filePath: string }
  | { readonly said: "confirmed" | "refused"; readonly filePath: string; readonly status: number };

const TYPE = "text/plain";

/** Returns content that depends on the path, which makes another file's content noticeable. */
export const contentOf = (filePath: string, size: number): string =>
  filePath.repeat(Math.ceil(size / filePath.length)).slice(0, size);

const report = (said: Said): void => say(said);

async function run({ settings, secretKey, at, ahead, unanswered }: Orders): Promise<void> {
  const step = killedBefore(at);
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  saySessions();
  const config = loadConfig({ ...settings, RATE_LIMITS: "off" });
  await using services = await openServices(config, { log: silentLog, clock });
  const client = clientOf(createApp(services), secretKey);
  for (const upload of unanswered) await confirm(client, upload);

  announceFileSteps(step);
  const watched = clientOf(createApp(withSteps(services, step)), secretKey);
  await upload(watched, step, 3_000);
  const gone = await upload(watched, step, 20_000);
  report({ said: "deleting", filePath: gone });
  await watched("DELETE", "/api/storage/file", { path: gone });
  report({ said: "deleted", filePath: gone });
  await step();
}

type Client = ReturnType<typeof clientOf>;

interface Reply {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- Answers of every shape.
  readonly body: any;
}

const clientOf = (app: App, secretKey: string) =>
async (
  method: string,
  path: string,
  body: object,
): Promise<Reply> => {
  const isStream = body instanceof ReadableStream;
  const request = new Request(new URL(path, "http://localhost:8000"), {
    method,
    headers: { "x-api-key": secretKey, "content-type": isStream ? TYPE : "application/json" },
    body: isStream ? body : JSON.stringify(body),
  });
  const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  return { status: response.status, body: await response.json() };
};

async function upload(
  client: Client,
  step: Step,
  size: number,
): Promise<string> {
  const asked = { filename: "file.txt", contentType: TYPE, size };
  const { body: { filePath, signedUrl } } = await client(
    "POST",
    "/api/storage/upload-request",
    asked,
  );
  report({ said: "requested", filePath, size });
  await put(client, step, { filePath, signedUrl, size });
  report({ said: "put", filePath });
  await confirm(client, { filePath, size });
  return filePath;
}

/** Sends the bytes in two chunks if the server receives them itself. */
async function put(
  client: Client,
  step: Step,
  { filePath, signedUrl, size }: { filePath: string; signedUrl: string; size: number },
): Promise<void> {
  const bytes = new TextEncoder().encode(contentOf(filePath, size));
  await step();
  const { pathname } = new URL(signedUrl);
  if (!pathname.startsWith("/api/storage/blob/")) {
    const response = await fetch(signedUrl, {
      method: "PUT",
      body: bytes,
      headers: { "content-type": TYPE },
    });
    await response.body?.cancel();
    if (response.status !== 200) throw new Error(`PUT answered ${response.status}`);
    return await step();
  }
  const pieces = [bytes.subarray(0, size / 2), bytes.subarray(size / 2)];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await step();
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
  const { status } = await client("PUT", pathname, body);
  if (status !== 200) throw new Error(`PUT answered ${status}`);
}

async function confirm(client: Client, upload: UnansweredUpload): Promise<void> {
  const { filePath } = upload;
  const { status } = await client("POST", "/api/storage/upload-confirm", upload);
  report({ said: status === 200 ? "confirmed" : "refused", filePath, status });
}

if (import.meta.main) await run(JSON.parse(Deno.args[0]!));
