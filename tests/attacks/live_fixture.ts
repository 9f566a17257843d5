/** A collection with live lists of authorized and unauthorized callers. */

import assert from "node:assert/strict";
import type { Id } from "@/lib/store/port.ts";
import { updateCollection } from "../support/given.ts";
import { listen as openList, type ListenInput, type LiveReader } from "../support/live_reader.ts";
import { openTestApp, type TestApp, type TestUser } from "../support/test_app.ts";
import type { FakeClock, TestOptions } from "../support/test_services.ts";

const NOTES = {
  name: "notes",
  rls: { mode: "private" },
  fields: [{ key: "n", type: "Number" }, { key: "text", type: "String" }],
};

export interface NotesFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: Awaited<ReturnType<TestApp["project"]>>;
  listen(query: string, more?: Partial<ListenInput>): Promise<LiveReader>;
  create(document: object): Promise<Id>;
  patch(id: Id, changes: object): Promise<void>;
  redefine(definition: object): Promise<void>;
}

/** Opens a `notes` collection. Each collection of an app is in a separate project. */
export async function openNotes(
  definition: object = {},
  { app: shared, ...options }: TestOptions & { app?: TestApp } = {},
): Promise<NotesFixture> {
  const app = shared ?? await openTestApp(options);
  const project = await app.project();
  await project.collection({ ...NOTES, ...definition });
  return {
    app,
    project,
    listen: (query, more = {}) => openList({ app, project, path: `notes/live${query}`, ...more }),
    async create(document) {
      const { status, body, text } = await project.asSecret({
        path: "/api/data/notes",
        body: document,
      });
      assert.equal(status, 201, text);
      return body.data._id;
    },
    async patch(id, changes) {
      const path = `/api/data/notes/${id}`;
      const { status, text } = await project.asSecret({ method: "PATCH", path, body: changes });
      assert.equal(status, 200, text);
    },
    async redefine(changed) {
      await updateCollection(app.services, project.projectId, { ...NOTES, ...changed });
    },
    [Symbol.asyncDispose]: () => shared ? Promise.resolve() : app[Symbol.asyncDispose](),
  };
}

/** Returns everything that a list sends until it ends, as text, with the final code. */
export async function readToEnd(reader: LiveReader): Promise<{ shown: string; code: string }> {
  let received = "";
  for (;;) {
    const next = await reader.next();
    assert.notEqual(next, null, "the last event contains the reason");
    if (next!.event !== "unauthorized") {
      received += JSON.stringify(next);
      continue;
    }
    assert.equal(await reader.next(), null);
    return { shown: received, code: next!.data.code };
  }
}

const TICK_MS = 20;

/** Lets a fake clock run at the machine's speed. */
export function runClock(clock: FakeClock): Disposable {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    clock.advance(now - last);
    last = now;
  }, TICK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export const liveCall = (
  { project }: NotesFixture,
  { user, path = "/api/data/notes/live", method = "GET", peer }: {
    readonly user?: TestUser;
    readonly path?: string;
    readonly method?: string;
    readonly peer?: string;
  },
) => ({
  method,
  path,
  ...(peer !== undefined && { peer }),
  headers: [
    ["x-api-key", project.publishableKey],
    ...(user ? [["authorization", `Bearer ${user.token}`] as [string, string]] : []),
  ] as [string, string][],
});
