import assert from "node:assert/strict";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { compileCollections } from "@/lib/documents/save_collection.ts";
import { UPLOADS } from "@/lib/files/uploads.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition, Id } from "@/lib/store/port.ts";
import { run, runAdmin } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { archiveOf, importBytes } from "./archives.ts";
import { openFiles } from "./files.ts";
import { temporaryFolder } from "./foreign_sources.ts";
import { ok, times } from "./test_collection.ts";

const COUNT = 6_000;
const NOTES = {
  name: "notes",
  fields: [
    { key: "title", type: "String", search: true },
    { key: "code", type: "String", unique: true },
  ],
};

/** Creates an archive of a project with documents and files. */
async function createArchive(count = 600) {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { project } = files;
  await project.collection(NOTES);
  for (let at = 0; at < count; at += BULK_DOCUMENTS_MAX) {
    const documents = times(BULK_DOCUMENTS_MAX, (n) => ({
      title: `Title of ${at + n}`,
      code: `code-${at + n}`,
    }));
    ok(await project.asSecret({ path: "/api/data/notes/bulk", body: { documents } }), 201);
  }
  for (let n = 0; n < 5; n++) {
    await files.storeFile(new TextEncoder().encode(`%PDF-1.7 ${n}`), "application/pdf", `${n}.pdf`);
  }
  return { ...await archiveOf(app.services, project.projectId), projectId: project.projectId };
}

/** Counts the imported records of a kind. Returns 0 if the project does not exist yet. */
async function countRecords(
  { services: { engine } }: TestApp,
  projectId: Id,
  definition: Definition,
) {
  if (await engine.records<ProjectRecord>("control", PROJECTS).get(projectId) === null) return 0;
  return await engine.records(projectId, definition).count(ALL).catch(() => 0);
}

async function countDocuments({ services }: TestApp, projectId: Id): Promise<number> {
  const stored = await compileCollections(services, projectId).catch(() => []);
  const notes = stored.find(({ definition }) => definition.name === "notes");
  if (notes === undefined) return 0;
  return await services.engine.records(projectId, notes.records).count(ALL).catch(() => 0);
}

Deno.test("an import that was killed repeatedly resumes at once and completes", async () => {
  const { bytes, end, projectId } = await createArchive(COUNT);
  await using folder = await temporaryFolder();
  const file = `${folder.path}/notes.tar`;
  await Deno.writeFile(file, bytes);
  await using app = await openTestApp();
  const { services } = app;
  const settings = { ...app.store.settings, INIT_CWD: folder.path };
  const words = ["project", "import", "--from", file];
  const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
  const points: (() => Promise<boolean>)[] = [
    async () => await projects.get(projectId) !== null,
    async () => await countDocuments(app, projectId) > 0,
    async () => await countRecords(app, projectId, UPLOADS) > 0,
  ];
  let killed = 0;
  for (const isReached of points) {
    const running = await run("admin", words, { settings });
    await until("the import", async () => running.hasEnded() || await isReached(), 120_000);
    running.signal("SIGKILL");
    const { signal } = await running.ended;
    if (signal === "SIGKILL") killed++;
    const project = (await projects.get(projectId))?.value;
    assert.ok(signal !== "SIGKILL" || project?.importDigest, "the project is marked as incomplete");
  }
  assert.ok(killed >= 2, `${killed} were killed on their way`);
  const { code, stderr, stdout } = await runAdmin(words, settings);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout);
  assert.equal(report.hashes["collections/notes"], end.collections.notes!.sha256);
  assert.equal(report.hashes.files, end.files.sha256);
  assert.deepEqual([report.imported["collections/notes"], report.imported.files], [COUNT, 5]);
});

Deno.test("an import succeeds after a creation of the same project was killed", async () => {
  const { bytes, end, projectId } = await createArchive();
  await using app = await openTestApp();
  const { services } = app;
  await services.engine.createSpace(projectId);
  await services.signingKeys.create(projectId);
  const report = await importBytes(services, bytes);
  assert.equal(report.projectId, projectId);
  assert.equal(report.hashes["collections/notes"], end.collections.notes!.sha256);
});

Deno.test("an import that another one has taken over stops and removes nothing", async () => {
  const { bytes, projectId } = await createArchive();
  await using app = await openTestApp();
  const { services } = app;
  const projects = services.engine.records<ProjectRecord>("control", PROJECTS);
  let isTaken = false;
  const taking = (what: string) => async () => {
    if (isTaken || what !== "collections/notes") return;
    isTaken = true;
    await projects.updateOne(ALL, { increment: { importBeats: 100 } });
  };
  const first = importBytes(services, bytes, {
    progress: { forPart: (what) => () => void taking(what)() },
  });
  await assert.rejects(first, { name: "ImportTakenOver" });
  assert.ok(
    (await projects.get(projectId))?.value.importDigest,
    "the project remains for the other import",
  );
});
