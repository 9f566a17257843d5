import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { ImportReport } from "@/lib/operations/archive/import_project.ts";
import { parseArguments } from "@/routes/admin/arguments.ts";
import { COMMANDS } from "@/routes/admin/commands.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** What PocketBase itself has made. */
export const POCKETBASE = fileURLToPath(
  new URL("../fixtures/pocketbase/pb_data", import.meta.url),
);

/** How its ids are made of names. */
export const sourceId = (name: string): string => name.padEnd(15, "0");

export type Report = ImportReport & { readonly notes: readonly string[] };

/** `project import --from`, as somebody types it. */
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

export interface Folder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<Folder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "corbel-source-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** The fixture, to be changed. */
export async function pocketbaseCopy(
  change: (db: DatabaseSync) => void = () => {},
): Promise<Folder> {
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

/** Names, sizes and times of all that lies in a folder. */
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

/** What imports leave beside the data; nothing, once they have ended. */
export async function scratchIn({ store }: TestApp): Promise<string[]> {
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

/** Fails unless one of the lines says so. */
export function assertTold({ notes }: Report, ...told: RegExp[]): void {
  for (const pattern of told) {
    assert.ok(notes.some((line) => pattern.test(line)), `${pattern} in\n${notes.join("\n")}`);
  }
}
