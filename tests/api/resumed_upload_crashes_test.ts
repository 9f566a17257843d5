import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { systemClock } from "@/lib/clock.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { type CreatedProject, createProject } from "@/lib/projects/create_project.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { everyNth, randomOffset } from "../support/every_nth.ts";
import { createTestStore, storage, type TestStore } from "../support/test_store.ts";
import { sacrifice } from "./sacrifice.ts";
import { bytesOf, type Orders, type Said, type VictimUpload } from "./resumed_upload_victim.ts";

const VICTIM = new URL("resumed_upload_victim.ts", import.meta.url);
/** Bytes of a file: in a bucket, one part and a remainder. */
const SIZE = storage === "s3" ? 5_242_880 + 1_000_000 : 20_000;
const STRIDE = everyNth(4);
const STEPS_MIN = 40;
/** Longer than a connection's turn and than the claim of a confirm. */
const LATER_MS = 61_000;
const ROUND_MS = 2 * LATER_MS;
/** Longer than any pending work may wait. */
const FINAL_MS = 48 * 3_600_000;

/** The responses that all processes got. */
class Answers {
  readonly uploads = new Map<string, VictimUpload>();
  readonly arrived = new Map<string, number>();
  readonly confirmed = new Set<string>();
  readonly cancelling = new Set<string>();
  readonly cancelled = new Set<string>();

  take(said: Said): void {
    if (said.said === "requested") this.uploads.set(said.upload.filePath, said.upload);
    else if (said.said === "arrived") this.arrived.set(said.filePath, said.offset);
    else this[said.said].add(said.filePath);
  }

  of(which: "open" | "confirmed"): VictimUpload[] {
    return [...this.uploads.values()].filter(({ filePath }) =>
      which === "confirmed"
        ? this.confirmed.has(filePath)
        : !this.confirmed.has(filePath) && !this.cancelled.has(filePath)
    );
  }
}

const openAt = (store: TestStore, ahead: number): Promise<Services> =>
  openServices(loadConfig({ ...store.settings, RATE_LIMITS: "off" }), {
    log: silentLog,
    clock: { ...systemClock, now: () => Date.now() + ahead },
  });

/** A client in another process, which continues what the killed process left. */
class Successor {
  readonly #send: (call: Call) => Promise<Answer>;
  readonly #answers: Answers;
  readonly #context: string;

  constructor(
    services: Services,
    { secretKey }: CreatedProject,
    answers: Answers,
    context: string,
  ) {
    const app = createApp(services);
    this.#send = (call) =>
      send(app, { ...call, headers: { "x-api-key": secretKey, ...call.headers as object } });
    this.#answers = answers;
    this.#context = context;
  }

  async finish(upload: VictimUpload): Promise<void> {
    const { filePath, path, size } = upload;
    const head = await this.#send({ method: "HEAD", path });
    if (this.#answers.cancelling.has(filePath)) {
      if (head.status === 200) await this.#expect(204, { method: "DELETE", path });
      else assert.equal(head.status, 410, this.#context);
      return void this.#answers.cancelled.add(filePath);
    }
    // A confirmed upload is gone, even if its client got no response.
    if (head.status !== 410) await this.#goOn(upload, head);
    const body = { filePath, size };
    await this.#expect(200, { path: "/api/storage/upload-confirm", body });
    this.#answers.confirmed.add(filePath);
  }

  async remove({ filePath }: VictimUpload): Promise<void> {
    await this.#expect(200, {
      method: "DELETE",
      path: "/api/storage/file",
      body: { path: filePath },
    });
    this.#answers.uploads.delete(filePath);
  }

  async #goOn({ filePath, path, size }: VictimUpload, head: Answer): Promise<void> {
    assert.equal(head.status, 200, this.#context);
    const offset = Number(head.headers.get("upload-offset"));
    const least = this.#answers.arrived.get(filePath) ?? 0;
    // After an interrupted confirm of a folder's file all bytes are sent again.
    assert.ok(
      (offset >= least || least === size) && offset <= size,
      `${this.#context}: at ${offset}`,
    );
    await this.#expect(204, {
      method: "PATCH",
      path,
      headers: {
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
      },
      body: bytesOf(filePath, size).subarray(offset),
    });
  }

  async #expect(status: number, call: Call): Promise<void> {
    const answer = await this.#send(call);
    assert.equal(answer.status, status, `${this.#context}: ${call.path} answered ${answer.text}`);
  }
}

/** Fails unless each confirmed file has its own bytes and the totals match the rows. */
async function verify(
  services: Services,
  { projectId }: CreatedProject,
  uploads: readonly VictimUpload[],
  context: string,
): Promise<void> {
  for (const { filePath, size } of uploads) {
    const stream = await services.blobStores.internal.read("stored", filePath);
    assert.ok(stream !== null, `${context}: ${filePath} is stored`);
    const bytes = await new Response(stream).bytes();
    assert.ok(
      bytes.length === size && Buffer.compare(bytes, bytesOf(filePath, size)) === 0,
      `${context}: ${filePath} has its own bytes`,
    );
  }
  const { drift } = await reconcile(services, projectId, { repair: false });
  assert.deepEqual(drift, [], context);
}

Deno.test("a resumable upload killed (-9) at any step is finished intact by another process", async () => {
  await using store = await createTestStore();
  const project = await (async () => {
    await using services = await openAt(store, 0);
    return await createProject(services, { name: "Crashing", siteUrl: null });
  })();
  const answers = new Answers();
  const { settings } = store;
  const { secretKey, projectId } = project;
  let [at, files, isKilled] = [1 + randomOffset(STRIDE) - STRIDE, 0, true];
  while (isKilled) {
    at += STRIDE;
    const ahead = at * ROUND_MS;
    const context = `killed before step ${at}`;
    const orders: Orders = { settings, secretKey, at, ahead, size: SIZE };
    isKilled = await sacrifice<Said>(VICTIM, orders, (said) => answers.take(said));
    await using services = await openAt(store, ahead + LATER_MS);
    const successor = new Successor(services, project, answers, context);
    for (const upload of answers.of("open")) await successor.finish(upload);
    const confirmed = answers.of("confirmed");
    files += confirmed.length;
    await verify(services, project, confirmed, context);
    for (const upload of confirmed) await successor.remove(upload);
  }
  assert.ok(at > STEPS_MIN, `there were ${at - 1} steps`);

  await using services = await openAt(store, at * ROUND_MS + FINAL_MS);
  await services.jobRunner.runDue();
  await reap(services);
  assert.ok(files >= at / STRIDE / 2, `${files} were confirmed`);
  const { drift, unfinished } = await reconcile(services, projectId, { repair: false });
  assert.deepEqual({ drift, unfinished }, { drift: [], unfinished: [] });
  for (const place of ["stored", "private", "staged", "partial"] as const) {
    const page = { prefix: `${projectId}/`, after: null, limit: 10 };
    assert.deepEqual((await services.blobStores.internal.list(place, page)).blobs, [], place);
  }
});
