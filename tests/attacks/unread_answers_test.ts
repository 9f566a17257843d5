/** Clients that request large responses and read nothing. */

import assert from "node:assert/strict";
import { createCollection, createProject, send } from "../acceptance/project.ts";
import { peakMemoryOf } from "../acceptance/memory.ts";
import { startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { database } from "../support/test_store.ts";

const MiB = 1_048_576;
const CONNECTIONS = 500;
/**
 * Bytes of growth that unread responses and uncollected garbage may cause. On MongoDB a request
 * reads documents before it is refused.
 */
const MORE_MAX = (database === "mongodb" ? 1000 : 300) * MiB;
const SOON_MS = 60_000;
const LIST = "/api/data/large?limit=1000";

const encoder = new TextEncoder();

Deno.test(`${CONNECTIONS} connections that do not read 15 MB responses use bounded memory`, async () => {
  await using server = await startServer({ settings: { RATE_LIMITS: "off" } });
  const { settings, port } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, { name: "large", rls: { mode: "public-read" } });
  const [key, secretKey] = [project.publishableKey, project.secretKey];
  const text = "x".repeat(900_000);
  for (let n = 0; n < 4; n++) {
    const documents = [{ text }, { text }, { text }, { text }];
    const { status } = await send(server, {
      path: "/api/data/large/bulk",
      key: secretKey,
      body: { documents },
    });
    assert.equal(status, 201);
  }
  assert.equal((await send(server, { path: LIST, key })).status, 200);
  const before = await peakMemoryOf(server);
  using held = new DisposableStack();
  const asked = encoder.encode(
    `GET ${LIST} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`,
  );
  for (let n = 0; n < CONNECTIONS; n++) {
    const connection = held.use(await Deno.connect({ hostname: "127.0.0.1", port }));
    await connection.write(asked);
  }
  const refused = async () => (await send(server, { path: LIST, key })).status === 503;
  await until("the caller's share is used up", refused, SOON_MS);
  const { status, body, headers } = await send(server, { path: LIST, key });
  assert.deepEqual([status, body.code], [503, "SERVER_BUSY"]);
  assert.match(headers.get("retry-after")!, /^\d+$/);
  // A short response needs no budget, and another caller has a separate share.
  assert.equal((await send(server, { path: "/api/data/large?count=true", key })).status, 200);
  assert.equal((await send(server, { path: LIST, key: secretKey })).status, 200);
  const more = await peakMemoryOf(server) - before;
  assert.ok(more < MORE_MAX, `memory grew by ${Math.round(more / MiB)} MiB`);
});
