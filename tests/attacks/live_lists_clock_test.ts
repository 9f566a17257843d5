/** Live lists while the machine's clock is set. */

import assert from "node:assert/strict";
import { openNotes } from "./live_fixture.ts";

const HOUR_MS = 3_600_000;

Deno.test("listenToDocuments continues and resumes while the clock is set back and forth", async () => {
  await using notes = await openNotes();
  const { app, project, create, patch, listen } = notes;
  const user = await project.user();
  await using reader = await listen("", { user });
  const { id: start } = await reader.expect("list");
  const id = await create({ n: 0, userId: user.id });
  const jumps = [HOUR_MS, -HOUR_MS / 2, 24 * HOUR_MS, -24 * HOUR_MS, 48 * HOUR_MS];
  for (const [i, jump] of jumps.entries()) {
    app.clock.setBack(jump);
    await patch(id, { n: i + 1 });
    app.clock.advance(2_000);
  }
  const numbers = [0, 1, 2, 3, 4, 5];
  const seen = (await reader.changes(6)).map(({ data }) => data.document.n);
  assert.deepEqual(seen, numbers);
  await using again = await listen("", { user, lastEventId: start });
  assert.deepEqual((await again.changes(6)).map(({ data }) => data.document.n), numbers);
});

Deno.test("listenToDocuments resets after a wrong clock removed changes, and sends later ones", async () => {
  await using notes = await openNotes();
  const { app, project, create, listen } = notes;
  await using reader = await listen("?limit=1");
  const { id: start } = await reader.expect("list");
  for (let n = 0; n < 70; n++) await create({ n });
  await reader.changes(70);
  // Set ahead by two days and then corrected.
  app.clock.setBack(-48 * HOUR_MS);
  await app.services.engine.changes.trim(
    project.projectId,
    new Date(app.clock.now()).toISOString(),
  );
  await create({ n: 70 });
  app.clock.setBack(48 * HOUR_MS);
  await create({ n: 71 });
  const seen = (await reader.changes(2)).map(({ data }) => data.document.n);
  assert.deepEqual(seen, [70, 71]);
  await using again = await listen("?limit=1", { lastEventId: start });
  if (app.services.engine.name === "sqlite") {
    // The removed changes are lost.
    await again.expect("reset");
    assert.equal((await again.expect("list")).data.total, 72);
  } else {
    const all = (await again.changes(72)).map(({ data }) => data.document.n);
    assert.deepEqual(all, Array.from({ length: 72 }, (_, n) => n));
  }
  await create({ n: 72 });
  assert.equal((await again.expect("change")).data.document.n, 72);
});
