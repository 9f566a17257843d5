/** Rare operations of Corbel, many of which send commands that no other operation sends. */

import assert from "node:assert/strict";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { recountDocuments } from "@/lib/documents/recount.ts";
import { CONFIRM_CLAIM_MS } from "@/lib/limits.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { openFiles } from "../api/files.ts";
import { refresh, signIn } from "../api/signed_in.ts";
import {
  COUNTERS,
  newId,
  nextNumber,
  type Operation,
  portFixture,
  readOperation,
} from "./attempts.ts";
import { callResult, type Fixture, requestResult, THINGS, updateDefinition } from "./fixture.ts";

/** Records of the project that do not count towards its quota. */
const PILE: Definition = { name: "_pile", fields: {}, indexes: [], trash: false };

/** Size of a record in bytes. Three of these exceed one reply of MongoDB, which is 16 MB. */
const PILED_BYTES = 6_000_000;
const PILED = 3;

/** Number of documents with a date; the first reply to a `find` holds only 101. */
const DATED = 120;

/** Creates documents with a date once. Resolves to the declared type of the field. */
async function datedAs({ app, project, stored }: Fixture): Promise<"Date" | "String"> {
  if (await app.services.catalog.find(project.projectId, "dated") === null) {
    const fields = [{ key: "when", type: "String" }];
    await project.collection({ name: "dated", fields, rls: { enabled: false } });
    const document = { when: "2026-01-31T12:00:00.000Z" };
    for (const many of [100, DATED - 100]) {
      const body = { documents: Array(many).fill(document) };
      const { status, text } = await project.asSecret({ path: "/api/data/dated/bulk", body });
      assert.equal(status, 201, text);
    }
  }
  const dates = await (await stored("dated")).countDocuments({ when: { $type: "date" } });
  return dates > 0 ? "Date" : "String";
}

export const RARE_OPERATIONS: Readonly<Record<string, Operation>> = {
  "a change at the edge of the quota": {
    sends: ["listCollections", "aggregate", "find", "update"],
    async begin(fixture) {
      const document = { n: 1, text: "To be dropped" };
      const created = await fixture.project.asSecret({ path: THINGS, body: document });
      const path = `${THINGS}/${created.body.data._id}`;
      const call = { method: "PATCH", path, body: { n: 2, text: "" } };
      return {
        send: () => requestResult(fixture.withoutQuota(call)),
        effects: async () => (await fixture.project.asSecret({ path })).body.data.n - 1,
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a list that is explained": readOperation(`${THINGS}?n=0&explain=true`, ["explain"]),
  "a list that takes several replies": {
    sends: ["getMore", "killCursors"],
    async begin(fixture) {
      const { engine, space } = portFixture(fixture);
      const pile = engine.records(space, PILE);
      const stored = fixture.db.collection(PILE.name);
      const text = "x".repeat(PILED_BYTES);
      while (await stored.countDocuments() < PILED) await stored.insertOne({ text });
      return {
        send: () =>
          callResult((async () => {
            const query = { filter: ALL, sort: [], limit: PILED, bytesMax: Infinity };
            const { items } = await pile.list(query);
            assert.ok(items.length > PILED * PILED_BYTES, "all of them are listed");
          })()),
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a definition that makes texts dates, or dates texts": {
    sends: ["find", "getMore", "update", "commitTransaction"],
    async begin(fixture) {
      const before = await datedAs(fixture);
      const stored = await fixture.stored("dated");
      const type = before === "Date" ? "String" : "Date";
      return {
        send: () => callResult(updateDefinition(fixture, "dated", [{ key: "when", type }])),
        async effects() {
          const $type = type === "Date" ? "date" : "string";
          const changed = await stored.countDocuments({ when: { $type } });
          assert.equal(changed % DATED, 0, `${changed} of ${DATED} documents are changed`);
          return changed / DATED;
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a collection's end": {
    sends: ["drop"],
    async begin(fixture) {
      const { engine, space } = portFixture(fixture);
      const definition = { ...COUNTERS, name: `counters${nextNumber()}` };
      await engine.records(space, definition).insert({ _id: newId(), n: 0 });
      return {
        send: () => callResult(engine.dropDefinition(space, definition)),
        async effects() {
          const { name } = definition;
          return (await fixture.db.listCollections({ name }).toArray()).length === 0 ? 1 : 0;
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a project's end": {
    sends: ["dropDatabase"],
    async begin(fixture) {
      const { engine } = portFixture(fixture);
      const space = newId();
      const counters = engine.records(space, COUNTERS);
      await counters.insert({ _id: newId(), n: 0 });
      return {
        send: () => callResult(engine.dropSpace(space)),
        effects: async () => await counters.count(ALL) === 0 ? 1 : 0,
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a recount": {
    sends: ["listCollections", "aggregate", "validate"],
    begin: ({ app, project }) =>
      Promise.resolve({
        send: () => callResult(recountDocuments(app.services, project.projectId)),
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      }),
  },
  "a refresh token's successor": {
    sends: ["find", "update", "insert", "commitTransaction"],
    async begin({ app, project }) {
      const { sessionId, refreshToken } = await signIn(app, project);
      const tokens = app.services.engine.records(project.projectId, REFRESH_TOKENS);
      return {
        send: () => requestResult(refresh(project, refreshToken)),
        effects: async () => await tokens.count(eq("sessionId", sessionId)) - 1,
        done: [200],
        onceOnly: true,
      };
    },
  },
  "a confirmed upload": {
    sends: ["findAndModify", "update", "commitTransaction"],
    async begin({ app, project }) {
      const files = await openFiles(app, project);
      const upload = await files.request();
      await files.put(upload);
      const { used } = await files.usage();
      return {
        send: () => requestResult(files.confirm(upload)),
        async effects() {
          app.clock.advance(CONFIRM_CLAIM_MS + 1); // A claim that was not released expires.
          const row = (await files.rows()).find(({ path }) => path === upload.filePath)!;
          const charged = ((await files.usage()).used - used) / upload.size;
          assert.equal(
            charged,
            row.state === "confirmed" ? 1 : 0,
            "it is charged if it is confirmed",
          );
          return charged;
        },
        done: [200],
        onceOnly: true,
      };
    },
  },
};
