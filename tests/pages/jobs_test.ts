import assert from "node:assert/strict";
import { newPath } from "@/lib/files/paths.ts";
import { removeLeftover } from "@/lib/files/removals.ts";
import { enqueue, type JobRecord, JOBS } from "@/lib/jobs/jobs.ts";
import { JOBS_SHOWN_MAX } from "@/lib/limits.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { BlobStores } from "@/lib/files/stores.ts";
import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { until } from "../acceptance/until.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openJobs(app: TestApp) {
  const pages = await openProjectPages(app);
  const { services } = app;
  const { projectId } = pages.project;
  const path = `${pages.home}/jobs`;
  return {
    ...pages,
    path,
    look: () => pages.dashboard.get(path),
    /** Creates a removal job that fails with this error. */
    async failed(name: string, target: string, error: Error): Promise<void> {
      const named = () => Promise.reject(error);
      const blobStores: BlobStores = { ...services.blobStores, blobsOf: named };
      const leftover = { path: newPath(projectId, crypto.randomUUID(), name), target };
      await removeLeftover({ ...services, blobStores }, projectId, leftover);
    },
    kept: (): Promise<JobRecord[]> =>
      Array.fromAsync(services.engine.records<JobRecord>(projectId, JOBS).find({ filter: ALL })),
  };
}

/** Returns what each job concerns, why it failed, how often, and whether it can be retried. */
const rows = ({ document }: PageAnswer) =>
  [...document.querySelectorAll(".lines tbody tr")].map((row) => [
    (row.querySelector("code")?.textContent ?? "").split("_").at(-1),
    row.querySelector("small.bad")?.textContent ?? null,
    row.querySelector("td.num")!.textContent,
    row.querySelector("button") !== null,
  ]);

const HIDDEN = "The server could not do it: its log says why.";

Deno.test("without jobs the page says so", async () => {
  await using app = await openTestApp();
  const page = await (await openJobs(app)).look();
  assert.equal(page.status, 200);
  assert.match(page.words, /Nothing waits to be done/);
});

Deno.test("jobs are shown with their failures, without internal details of the server", async () => {
  await using app = await openTestApp();
  const { look, failed, as, path } = await openJobs(app);
  const secret = "/srv/secret/hunter2";
  await failed("a.png", "internal", new BlobsUnavailable(`Cannot unlink ${secret}`));
  await failed("b.png", "own", new BlobsUnavailable('The bucket "own" cannot be used'));
  await failed("c.png", "own", new Error(`refused ${secret}`));
  const page = await look();
  assert.deepEqual(rows(page).toSorted(), [
    ["a.png", HIDDEN, "1", true],
    ["b.png", 'The bucket "own" cannot be used', "1", true],
    ["c.png", HIDDEN, "1", true],
  ]);
  assert.doesNotMatch(page.text, /hunter2/);
  const viewers = rows(await (await as("viewer")).get(path));
  assert.deepEqual(viewers.map((row) => row.at(-1)), [false, false, false]);
  assert.equal((await (await as(null)).get(path)).status, 404);
});

Deno.test("a job can be retried immediately, by several requests at once, and succeeds or stays", async () => {
  await using app = await openTestApp();
  const { look, failed, dashboard, path, kept } = await openJobs(app);
  await failed("a.png", "internal", new Error("away"));
  const [job] = await kept();
  const sent = await Promise.all(
    Array.from({ length: 20 }, () => dashboard.submit(`${path}/${job!._id}`)),
  );
  assert.deepEqual(sent.map(({ status }) => status), sent.map(() => 303));
  assert.ok(sent.some(({ location }) => location === `${path}?done=done`));
  assert.deepEqual(await kept(), []);
  await failed("b.png", "gone", new Error("away"));
  const tried = await dashboard.follow(await dashboard.fill(await look(), "Try now"));
  assert.match(tried.words, /not done yet/);
  assert.deepEqual(rows(tried), [[
    "b.png",
    'The project\'s storage is no longer "gone"',
    "2",
    true,
  ]]);
  for (const id of ["x", "0".repeat(24)]) {
    const odd = await dashboard.submit(`${path}/${id}`);
    assert.equal(odd.location, `${path}?done=done`);
  }
});

Deno.test("the removal of a collection shows its name, and can be retried before it is due", async () => {
  await using app = await openTestApp();
  const { look, project, dashboard, kept } = await openJobs(app);
  await project.collection({ name: "posts" });
  const path = `/api/projects/${project.projectId}/collections/posts`;
  assert.equal((await (await project.owner()).send({ method: "DELETE", path })).status, 200);
  // The deletion removes the documents immediately; the job stays for late writers.
  await until("the documents are removed", async () => {
    const [job] = await kept();
    return job!.claimedBy === null && job!.dueAt > job!.createdAt;
  });
  assert.deepEqual(rows(await look()), [["posts", null, "0", true]]);
  await dashboard.fill(await look(), "Try now");
  const [job] = await kept();
  assert.ok(job!.dueAt > job!.createdAt, "late writers may still come");
  app.clock.advance(10 * 60_000);
  const tried = await dashboard.follow(await dashboard.fill(await look(), "Try now"));
  assert.match(tried.words, /The job is done/);
  assert.deepEqual(await kept(), []);
});

Deno.test("jobs that members cannot affect show only their kind, and long lists are cut", async () => {
  await using app = await openTestApp();
  const { look, project, dashboard, path, kept } = await openJobs(app);
  const { services } = app;
  await services.engine.transaction(project.projectId, (tx) => {
    const jobs = HOSTILE_TEXTS.map((subject) => ({ subject, lane: subject }));
    return enqueue(tx, services, jobs, { kind: HOSTILE_TEXTS[0] });
  });
  const page = await look();
  assertHarmless(page);
  assert.deepEqual(rows(page), HOSTILE_TEXTS.map(() => ["", null, "0", false]));
  const before = await kept();
  const tried = await dashboard.submit(`${path}/${before[0]!._id}`);
  assert.equal(tried.location, `${path}?done=waiting`);
  assert.deepEqual(await kept(), before);
  await services.engine.transaction(project.projectId, (tx) => {
    const jobs = Array.from({ length: JOBS_SHOWN_MAX }, (_, i) => ({ subject: `${i}`, lane: "" }));
    return enqueue(tx, services, jobs, { kind: "other" });
  });
  const full = await look();
  assert.equal(rows(full).length, JOBS_SHOWN_MAX);
  assert.match(full.words, new RegExp(`and ${HOSTILE_TEXTS.length} more`));
});
