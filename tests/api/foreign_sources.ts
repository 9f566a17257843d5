import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { ImportReport } from "@/lib/operations/archive/import_project.ts";
import { parseArguments } from "@/routes/admin/arguments.ts";
import { COMMANDS } from "@/routes/admin/commands.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** Path of a data folder that PocketBase created. */
export const POCKETBASE = fileURLToPath(
  new URL("../fixtures/pocketbase/pb_data", import.meta.url),
);

/** Returns the id that a record of the fixture has for a name. */
export const sourceId = (name: string): string => name.padEnd(15, "0");

export type Report = ImportReport & { readonly notes: readonly string[] };

/** Runs the command `project import --from`. */
export async function importFrom(app: TestApp, from: string, ...flags: string[]): Promise<Report> {
  const command = COMMANDS.get("project import")!;
  const args = parseArguments(["--from", from, ...flags], command.options);
  return await command.run(app.services, args) as Report;
}

export function projectOf(
  app: TestApp,
  { projectId, publishableKey, secretKey }: Report,
): TestProject {
  return app.known({ projectId, publishableKey: publishableKey!, secretKey: secretKey! });
}

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "corbel-source-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Returns a copy of the fixture with a changed database. */
export async function pocketbaseCopy(
  change: (db: DatabaseSync) => void = () => {},
): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await copyFolder(POCKETBASE, folder.path);
  const db = new DatabaseSync(`${folder.path}/data.db`);
  change(db);
  db.close();
  return folder;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Returns the paths, sizes and times of all entries below a folder. */
export async function contentsOf(path: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const full = `${path}/${name}`;
    if (isDirectory) found.push(...await contentsOf(full));
    const { size, mtime } = await Deno.stat(full);
    found.push(`${full} ${size} ${mtime?.getTime()}`);
  }
  return found.sort();
}

/** Returns the names of the temporary folders of imports, none if no import is running. */
export async function listImportFolders({ store }: TestApp): Promise<string[]> {
  const folders = [store.settings.DATABASE_URL, store.settings.STORAGE_URL]
    .flatMap((url) => /^(?:sqlite|file):(.+)$/.exec(url ?? "")?.[1] ?? []);
  assert.ok(folders.length > 0);
  const names: string[] = [];
  for (const folder of folders) {
    const isThere = await Deno.stat(folder).then(() => true, () => false);
    if (isThere) names.push(...[...Deno.readDirSync(folder)].map(({ name }) => name));
  }
  return names.filter((name) => name.startsWith(".import-"));
}

export function assertNoted({ notes }: Report, ...patterns: RegExp[]): void {
  for (const pattern of patterns) {
    assert.ok(notes.some((line) => pattern.test(line)), `${pattern} in\n${notes.join("\n")}`);
  }
}
