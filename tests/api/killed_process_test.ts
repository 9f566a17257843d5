/** Requests that need a record which a killed process was changing in a transaction. */

import assert from "node:assert/strict";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { COLLECTIONS } from "@/lib/documents/catalog.ts";
import { STORAGE_USAGE } from "@/lib/files/uploads.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { SecondProcess } from "../contract/second_process.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { openFiles } from "./files.ts";
import { ok } from "./test_collection.ts";
import { refresh, signIn } from "./signed_in.ts";

const WAIT_MS = 5_000;

interface Scenario {
  /** The kinds of records that the killed process has changed, one in each test. */
  readonly changed: readonly Definition[];
  /** Creates the record and returns the request that needs it. */
  prepare(app: TestApp, project: TestProject): Promise<() => Promise<Answer>>;
}

const COLLECTION = { name: "notes", fields: [], rls: { enabled: false } };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "refreshSession": {
    changed: [REFRESH_TOKENS, SESSIONS],
    async prepare(app, project) {
      const { refreshToken } = await signIn(app, project);
      return () => refresh(project, refreshToken);
    },
  },
  "requestUpload": {
    changed: [STORAGE_USAGE],
    async prepare(app, project) {
      const files = await openFiles(app, project);
      await files.request(10);
      return () => files.ask({ filename: "a.txt", contentType: "text/plain", size: 10 });
    },
  },
  "updateCollection": {
    changed: [COLLECTIONS],
    async prepare(_, project) {
      await project.collection(COLLECTION);
      const owner = await project.owner();
      const fields = [{ key: "title", type: "String", required: true }];
      return () =>
        owner.send({
          method: "PUT",
          path: `/api/projects/${project.projectId}/collections/notes`,
          body: { ...COLLECTION, fields },
        });
    },
  },
};

for (const [name, { changed, prepare }] of Object.entries(SCENARIOS)) {
  for (const definition of changed) {
    Deno.test(`${name} succeeds within 5 s after a process changing ${definition.name} was killed`, async () => {
      await using app = await openTestApp();
      const project = await app.project();
      const request = await prepare(app, project);
      await using other = await SecondProcess.start(app.store.settings.DATABASE_URL!);
      const [outcome] = await other.run({
        space: project.projectId,
        definition,
        calls: [{ update: ALL, change: { increment: { touched: 1 } } }],
        how: "transaction",
      });
      assert.ok(outcome !== null && typeof outcome === "object" && "json" in outcome);
      await other.kill();
      const startedAt = performance.now();
      ok(await request());
      const took = performance.now() - startedAt;
      assert.ok(took < WAIT_MS, `it took ${Math.round(took)} ms`);
    });
  }
}
