import assert from "node:assert/strict";
import { LiveClient } from "./live_client.ts";
import { type Project, send } from "./project.ts";
import type { Server } from "./server.ts";

export const PATH = "/api/data/things";
/** Milliseconds within which an immediate event arrives, even on a busy machine. */
export const SOON_MS = 10_000;
export const settings = { PUBLIC_URL: "http://localhost:8000" };

export async function create(
  server: Server,
  { secretKey: key }: Project,
  body: object,
): Promise<void> {
  const { status, text } = await send(server, { path: PATH, key, body });
  assert.equal(status, 201, text);
}

export const clientOf = (server: () => Server, { secretKey: key }: Project, query = "?sort=_id") =>
  new LiveClient({ server, path: `things/live${query}`, key });
