/** Another process is killed in the middle of a transaction about just what the request needs. */

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

interface Trial {
  /** Of which the other process has changed a record. */
  readonly changed: readonly Definition[];
  /** Makes that record; resolves to the request. */
  prepare(app: TestApp, project: TestProject): Promise<() => Promise<Answer>>;
}

const COLLECTION = { name: "notes", fields: [], rls: { enabled: false } };

const TRIALS: Readonly<Record<string, Trial>> = {
  "a refresh": {
    changed: [REFRESH_TOKENS, SESSIONS],
    async prepare(app, project) {
      const { refreshToken } = await signIn(app, project);
      return () => refresh(project, refreshToken);
    },
  },
  "an upload request": {
    changed: [STORAGE_USAGE],
    async prepare(app, project) {
      const files = await openFiles(app, project);
      await files.request(10);
      return () => files.ask({ filename: "a.txt", contentType: "text/plain", size: 10 });
    },
  },
  "the saving of a definition": {
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

for (const [name, { changed, prepare }] of Object.entries(TRIALS)) {
  for (const definition of changed) {
    Deno.test(`${name} is answered within 5 s of the death of who was changing ${definition.name}`, async () => {
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
      const begun = performance.now();
      ok(await request());
      const took = performance.now() - begun;
      assert.ok(took < WAIT_MS, `it took ${Math.round(took)} ms`);
    });
  }
}
