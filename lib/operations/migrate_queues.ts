import type { Clock } from "../clock.ts";
import { COLLECTION_REMOVAL } from "../documents/collection_removals.ts";
import { OBJECT_REMOVAL } from "../files/removals.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobQueue, JOBS, type NewJob } from "../jobs/jobs.ts";
import { ALL, within } from "../store/filter.ts";
import type { Definition, Engine, Id, Space, StoredRecord } from "../store/port.ts";

interface MigrationServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Tables in which earlier versions queued removals, one for each kind of job. */
const EARLIER_QUEUES: readonly {
  readonly place: Definition;
  readonly kind: string;
  jobOf(note: StoredRecord): NewJob;
}[] = [
  {
    place: {
      name: "_removals",
      fields: {
        path: { type: "String" },
        target: { type: "String" },
        tries: { type: "Number" },
        dueAt: { type: "Date" },
      },
      indexes: [
        { keys: [{ path: "path", descending: false }] },
        { keys: [{ path: "dueAt", descending: false }] },
      ],
      trash: false,
    },
    kind: OBJECT_REMOVAL.name,
    jobOf: ({ path, target }) => ({ subject: String(path), lane: String(target) }),
  },
  {
    place: {
      name: "_removedCollections",
      fields: { storedAs: { type: "String" }, removedAt: { type: "Date" } },
      indexes: [],
      trash: false,
    },
    kind: COLLECTION_REMOVAL.name,
    jobOf: ({ storedAs }) => ({ subject: String(storedAs), lane: String(storedAs) }),
  },
];

const BATCH_RECORDS = 100;

/** Table of earlier versions that `_locks` has replaced. */
const EARLIER_LOCKS = {
  name: "_collectionTurns",
  fields: {},
  indexes: [],
  trash: false,
} satisfies Definition;

/** Table of earlier versions with the spaces that had webhook messages to send. */
const EARLIER_WAITING_SPACES = {
  name: "waitingWebhookSpaces",
  fields: {},
  indexes: [],
  trash: false,
} satisfies Definition;

export async function migrateControlQueue(
  { engine, jobRunner }: MigrationServices & { readonly jobRunner: JobQueue },
): Promise<void> {
  if (!(await engine.kinds("control")).includes(EARLIER_WAITING_SPACES.name)) return;
  const waiting = engine.records("control", EARLIER_WAITING_SPACES);
  for await (const { space } of waiting.find({ filter: ALL })) {
    await jobRunner.announce(space as Space);
  }
  const passes = within("kind", ["deliver", "runJobs"]);
  await engine.records("control", JOBS).deleteMany(passes, BATCH_RECORDS);
  await engine.dropDefinition("control", EARLIER_WAITING_SPACES);
}

/** Converts removals that an earlier version queued in a project's space to jobs. */
export async function migrateRemovalNotes(
  services: MigrationServices,
  projectId: Id,
): Promise<void> {
  const { engine } = services;
  const kinds = await engine.kinds(projectId);
  for (const { place, kind, jobOf } of EARLIER_QUEUES) {
    if (!kinds.includes(place.name)) continue;
    for (let left = true; left;) {
      left = await engine.transaction(projectId, async (tx) => {
        const notes = tx.records(place);
        const found = await Array.fromAsync(notes.find({ filter: ALL, limit: BATCH_RECORDS }));
        await enqueue(tx, services, found.map(jobOf), { kind });
        await notes.deleteMany(within("_id", found.map(({ _id }) => _id)), BATCH_RECORDS);
        return found.length === BATCH_RECORDS;
      });
    }
    await engine.dropDefinition(projectId, place);
  }
  if (kinds.includes(EARLIER_LOCKS.name)) await engine.dropDefinition(projectId, EARLIER_LOCKS);
}
