/** A server for hostile requests, with assertions that must pass after each of them. */

import assert from "node:assert/strict";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import type { RawAnswer } from "./raw.ts";
import { type Server, startServer } from "./server.ts";

export interface Target extends AsyncDisposable {
  readonly server: Server;
  readonly project: Project;
  /** Encodes a request with a valid key and `connection: close`, the head as Latin-1. */
  request(line: string, headers?: readonly string[], body?: Uint8Array | string): Uint8Array;
  /** Fails unless the server still responds as before and has not responded with a 5xx. */
  stillServes(after: string): Promise<void>;
}

/** Encodes a text as Latin-1. */
export const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

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
        const message = new Uint8Array(head.length + content.length);
        message.set(head);
        message.set(content, head.length);
        return message;
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

/** Asserts a 4xx, or a connection that was closed without a response. */
export function assertRefused(
  { status, head }: RawAnswer,
  asked: string,
  allowed: readonly number[],
) {
  if (status === null && head === "") return;
  assert.ok(status !== null, `${asked} got a response that is not HTTP: ${head}`);
  assert.ok(allowed.includes(status), `${asked} was answered with ${status}`);
}

export const requestLogEntries = (server: Server): { status: number; problem: string | null }[] =>
  server.stdout().split("\n").filter((line) => line.includes('"status"')).map((line) =>
    JSON.parse(line)
  );

/** Stops the server and asserts that no request failed with a 5xx or an internal error. */
export async function endWithoutServerError(server: Server): Promise<void> {
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.deepEqual(requestLogEntries(server).filter(({ status }) => status >= 500), []);
  assert.doesNotMatch(stdout, /"level":"error"/);
  assert.equal(stderr, "");
}

export const quoted = (text: string) =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
