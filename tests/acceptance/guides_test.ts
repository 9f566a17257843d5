/** Runs the examples of the guides in order. */

import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { examplesOf, pageText, Reader } from "./guide_reader.ts";
import { startServer } from "./server.ts";

const PAGES = [
  "README.md",
  "docs/documents.md",
  "docs/auth.md",
  "docs/client.md",
  "docs/clients.md",
  "docs/files.md",
  "docs/live.md",
  "docs/mail.md",
  "docs/dashboard.md",
  "docs/command-line.md",
];

for (const page of PAGES) {
  Deno.test(`every example of ${page} works unchanged`, async () => {
    const examples = examplesOf(await pageText(page));
    assert.ok(examples.length > 0);
    await using store = await createTestStore();
    await using server = await startServer({ task: "dev", store });
    const reader = new Reader(server, store.folder);
    for (const example of examples) await reader.follow(example);
  });
}
