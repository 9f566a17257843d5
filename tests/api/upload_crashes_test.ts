import assert from "node:assert/strict";
import { systemClock } from "@/lib/clock.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { findUpload } from "@/lib/files/uploads.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { type CreatedProject, createProject } from "@/lib/projects/create_project.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { runAdmin } from "../acceptance/server.ts";
import { RUNS } from "../property/run.ts";
import { everyNth, randomOffset } from "../support/every_nth.ts";
import { createTestStore, database, storage, type TestStore } from "../support/test_store.ts";
import { sacrifice } from "./sacrifice.ts";
import { contentOf, type Orders, type Said } from "./upload_victim.ts";

/** Many rounds run only in the full matrix, with the fastest store. */
const ROUNDS = RUNS > 100 && database === "sqlite" && storage === "disk" ? 100 : 1;
/** Claims expire from one round to the next, reservations after ten rounds. */
const ROUND_MS = 121_000;
const STRIDE = everyNth(4);
const STEPS_MIN = 40;
const VICTIM = new URL("upload_victim.ts", import.meta.url);

/** The responses that all processes got. */
class Answers {
  readonly sizes = new Map<string, number>();
  readonly confirmed = new Set<string>();
  readonly deleting = new Set<string>();
  readonly deleted = new Set<string>();
  /** Confirms that may have begun but got no response. */
  readonly unanswered = new Set<string>();

  take(said: Said): void {
    switch (said.said) {
      case "requested":
        this.sizes.set(said.filePath, said.size);
        break;
      case "put":
        this.unanswered.add(said.filePath);
        break;
      case "confirmed":
        this.confirmed.add(said.filePath);
        this.unanswered.delete(said.filePath);
        break;
      case "refused":
        assert.ok([404, 409].includes(said.status), `a repeated confirm answered ${said.status}`);
        if (said.status === 404) this.unanswered.delete(said.filePath);
        break;
      case "deleting":
        this.deleting.add(said.filePath);
        break;
      case "deleted":
        this.deleted.add(said.filePath);
    }
  }
}

const openAt = (store: TestStore, ahead: number): Promise<Services> =>
  openServices(loadConfig({ ...store.settings, RATE_LIMITS: "off" }), {
    log: silentLog,
    clock: { ...systemClock, now: () => Date.now() + ahead },
  });

/** Restarts, reaps once, and fails if there is drift or a confirmed file is lost. */
async function verify(
  services: Services,
  { projectId }: CreatedProject,
  answers: Answers,
  context: string,
): Promise<void> {
  await services.jobRunner.runDue();
  await reap(services);
  const { drift } = await reconcile(services, projectId, { repair: false });
  assert.deepEqual(drift, [], context);
  for (const path of answers.confirmed) {
    const row = await findUpload(services, projectId, path);
    if (answers.deleted.has(path)) assert.equal(row, null, `${context}: ${path} was deleted`);
    if (answers.deleting.has(path)) continue;
    assert.equal(row?.state, "confirmed", `${context}: ${path} was confirmed`);
  }
}

async function assertContents(services: Services, answers: Answers): Promise<void> {
  for (const path of answers.confirmed) {
    if (answers.deleting.has(path)) continue;
    const stream = await services.blobStores.internal.read("stored", path);
    assert.ok(stream !== null, `${path} is stored`);
    const text = await new Response(stream).text();
    assert.ok(text === contentOf(path, answers.sizes.get(path)!), `${path} has its own bytes`);
  }
}

Deno.test(`after kill -9 at any step of an upload one reaper pass leaves no drift or loss`, async () => {
  await using store = await createTestStore();
  const project = await (async () => {
    await using services = await openAt(store, 0);
    return await createProject(services, { name: "Crashing", siteUrl: null });
  })();
  const answers = new Answers();
  let [killed, at, ends] = [0, 1 + randomOffset(STRIDE), 0];
  for (let round = 1; killed < ROUNDS || ends === 0; round++) {
    const ahead = round * ROUND_MS;
    const unanswered = [...answers.unanswered]
      .map((filePath) => ({ filePath, size: answers.sizes.get(filePath)! }));
    const { settings } = store;
    const { secretKey } = project;
    const context = `round ${round}, killed before step ${at}`;
    const orders: Orders = { settings, secretKey, at, ahead, unanswered };
    if (await sacrifice<Said>(VICTIM, orders, (said) => answers.take(said))) {
      killed++;
      at += STRIDE;
    } else {
      assert.ok(at > STEPS_MIN, context);
      ends++;
      at = 1;
    }
    await using services = await openAt(store, ahead);
    await verify(services, project, answers, context);
  }
  await using services = await openAt(store, 2 * (killed + ends) * ROUND_MS);
  await verify(services, project, answers, "in the end");
  await assertContents(services, answers);
  const { unfinished } = await reconcile(services, project.projectId, { repair: false });
  assert.deepEqual(unfinished, [], "unfinished work is removed");
  assert.ok(answers.confirmed.size > killed / 4, `${answers.confirmed.size} were confirmed`);
  const words = ["storage", "reconcile", "--project", project.projectId];
  const { code, stdout } = await runAdmin(words, store.settings);
  assert.equal(code, 0, stdout);
});
