import { PROJECT_NAME_LENGTH_MAX } from "../../limits.ts";
import { PROVIDER_NAMES } from "../../social/providers.ts";
import { lineOf } from "../../social/profile.ts";
import type { Progress } from "../archive/progress.ts";
import { foreignId, type ForeignProject } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";
import { PocketbaseFiles, type SourceFolder } from "./pocketbase_files.ts";
import { planPocketbase, type PocketbasePlan } from "./pocketbase_plan.ts";
import { documentsOf, type RecordContext } from "./pocketbase_records.ts";
import { openPocketbase, type PocketbaseSource } from "./pocketbase_source.ts";
import { identitiesOf, usersOf } from "./pocketbase_users.ts";

export interface PocketbaseInput {
  /** Path of a copy of `data.db`, which is changed. */
  readonly database: string;
  /** Where its files are. */
  readonly storage: SourceFolder;
  /** When the database was changed last. */
  readonly at: string;
}

/**
 * A folder of PocketBase 0.23 or newer as a project. Throws `INVALID_INPUT` for one that is damaged,
 * or something else. To be closed after it is written.
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
    tellUsers(plan, notes);
    return projectOf(source, plan, {
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

function projectOf(
  source: PocketbaseSource,
  { users, collections }: PocketbasePlan,
  context: RecordContext,
): ForeignProject & Disposable {
  const byName = new Map(collections.map((plan) => [plan.definition.name, plan]));
  return {
    id: context.projectId,
    name: lineOf(source.name, PROJECT_NAME_LENGTH_MAX) ?? "PocketBase",
    at: context.at,
    configuration: {
      userFields: users?.userFields ?? [],
      collections: collections.map(({ definition }) => definition),
      providers: (users?.source.providers ?? [])
        .filter(({ name, clientId }) => PROVIDER_NAMES.includes(name) && clientId !== "")
        .map(({ name, clientId }) => ({ provider: name, enabled: true, clientId })),
    },
    users: () => users === null ? [] : usersOf(source, users, context),
    identities: () => users === null ? [] : identitiesOf(source, users, context),
    documents: (name) => documentsOf(source, byName.get(name)!, context),
    files: () => context.files.all(),
    [Symbol.dispose]: () => source.db[Symbol.dispose](),
  };
}

function tellUsers({ users }: PocketbasePlan, notes: Notes): void {
  if (users === null) return;
  const files = users.fields.filter(({ source }) => source.type === "file");
  for (const { source } of files) {
    notes.say(
      `${users.source.name}.${source.name} has the names of users' files, without the project's id ` +
        "that stands before them in a path",
    );
  }
  notes.say("Superusers and sessions were left out: users sign in anew");
}
