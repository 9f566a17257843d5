/** A server under hostile bytes, and what must hold after each of them. */

import assert from "node:assert/strict";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import type { RawAnswer } from "./raw.ts";
import { type Server, startServer } from "./server.ts";

export interface Target extends AsyncDisposable {
  readonly server: Server;
  readonly project: Project;
  /** A whole request, the head in Latin-1, with a valid key and `connection: close`. */
  request(line: string, headers?: readonly string[], body?: Uint8Array | string): Uint8Array;
  /** Fails unless the server still answers as before, and has answered nothing with a 5xx. */
  stillServes(after: string): Promise<void>;
}

/** One byte for each character: Latin-1. */
export const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** A server with a collection that holds one document. */
export async function openTarget(): Promise<Target> {
  const server = await startServer();
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, THINGS);
    const path = "/api/data/things";
    const key = project.secretKey;
    const { body: { data: kept } } = await send(server, { path, key, body: { text: "kept" } });
    return {
      server,
      project,
      request(line, headers = [], body = "") {
        const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
        const lines = [
          `${line} HTTP/1.1`,
          "host: localhost",
          `x-api-key: ${key}`,
          "connection: close",
          ...headers,
          ...(content.length > 0 ? [`content-length: ${content.length}`] : []),
        ];
        const head = bytesOf(lines.join("\r\n") + "\r\n\r\n");
        const whole = new Uint8Array(head.length + content.length);
        whole.set(head);
        whole.set(content, head.length);
        return whole;
      },
      async stillServes(after) {
        assert.ok(!server.hasEnded(), `the server ended after ${after}: ${server.stderr()}`);
        const { items, total } = await listAll(server, project, "things");
        assert.deepEqual([items, total], [[kept], 1], `after ${after}`);
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** A refusal of the client's making; a connection closed without a word is one too. */
export function assertRefused(
  { status, head }: RawAnswer,
  asked: string,
  allowed: readonly number[],
) {
  if (status === null && head === "") return;
  assert.ok(status !== null, `${asked} was answered with no HTTP: ${head}`);
  assert.ok(allowed.includes(status), `${asked} was answered with ${status}`);
}

/** Every line of the log in which a request was answered. */
export const answered = (server: Server): { status: number; problem: string | null }[] =>
  server.stdout().split("\n").filter((line) => line.includes('"status"')).map((line) =>
    JSON.parse(line)
  );

/** Stops the server; nothing was answered with a 5xx, and nothing failed inside. */
export async function endWithoutServerError(server: Server): Promise<void> {
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.deepEqual(answered(server).filter(({ status }) => status >= 500), []);
  assert.doesNotMatch(stdout, /"level":"error"/);
  assert.equal(stderr, "");
}

/** A text as it may stand in a message. */
export const shown = (text: string) =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
