import { PROJECT_NAME_LENGTH_MAX } from "../../limits.ts";
import { PROVIDER_NAMES } from "../../social/providers.ts";
import { toLine } from "../../social/profile.ts";
import type { Progress } from "../archive/progress.ts";
import { foreignId, type ForeignProject } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";
import { PocketbaseFiles, type SourceFolder } from "./pocketbase_files.ts";
import { planPocketbase, type PocketbasePlan } from "./pocketbase_plan.ts";
import { readDocuments, type RecordContext } from "./pocketbase_records.ts";
import { openPocketbase, type PocketbaseSource } from "./pocketbase_source.ts";
import { readIdentities, readUsers } from "./pocketbase_users.ts";

export interface PocketbaseInput {
  /** Path of a copy of `data.db`, which may be modified. */
  readonly database: string;
  readonly storage: SourceFolder;
  /** Time of the last change of the database, ISO 8601. */
  readonly at: string;
}

/**
 * Reads a folder of PocketBase 0.23 or newer. Dispose of the project after it was written. Throws
 * `INVALID_INPUT` for a damaged folder.
 */
export async function readPocketbase(
  { database, storage, at }: PocketbaseInput,
  { notes, progress }: { readonly notes: Notes; readonly progress: Progress },
): Promise<ForeignProject & Disposable> {
  const source = openPocketbase(database);
  try {
    const plan = planPocketbase(source, notes);
    const owners = [
      ...(plan.users === null ? [] : [{ plans: plan.users, isUsers: true }]),
      ...plan.collections.map((plans) => ({ plans, isUsers: false })),
    ].map((one) => ({ ...one, collection: one.plans.source }));
    const files = await PocketbaseFiles.find(source, owners, { storage, at, notes, progress });
    noteUsers(plan, notes);
    return toForeignProject(source, plan, {
      files,
      notes,
      at,
      projectId: foreignId("pocketbase", source.id),
    });
  } catch (error) {
    source.db[Symbol.dispose]();
    throw error;
  }
}

function toForeignProject(
  source: PocketbaseSource,
  { users, collections }: PocketbasePlan,
  context: RecordContext,
): ForeignProject & Disposable {
  const byName = new Map(collections.map((plan) => [plan.definition.name, plan]));
  return {
    id: context.projectId,
    name: toLine(source.name, PROJECT_NAME_LENGTH_MAX) ?? "PocketBase",
    at: context.at,
    configuration: {
      userFields: users?.userFields ?? [],
      collections: collections.map(({ definition }) => definition),
      providers: (users?.source.providers ?? [])
        .filter(({ name, clientId }) => PROVIDER_NAMES.includes(name) && clientId !== "")
        .map(({ name, clientId }) => ({ provider: name, enabled: true, clientId })),
    },
    users: () => users === null ? [] : readUsers(source, users, context),
    identities: () => users === null ? [] : readIdentities(source, users, context),
    documents: (name) => readDocuments(source, byName.get(name)!, context),
    files: () => context.files.all(),
    [Symbol.dispose]: () => source.db[Symbol.dispose](),
  };
}

function noteUsers({ users }: PocketbasePlan, notes: Notes): void {
  if (users === null) return;
  const files = users.fields.filter(({ source }) => source.type === "file");
  for (const { source } of files) {
    notes.add(
      `${users.source.name}.${source.name} has the names of users' files, without the project's ` +
        "id with which a path begins",
    );
  }
  notes.add("Superusers and sessions were left out: users sign in again");
}
