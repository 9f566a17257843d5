import type { Clock } from "../clock.ts";
import { COLLECTION_REMOVAL } from "../documents/collection_removals.ts";
import { OBJECT_REMOVAL } from "../files/removals.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobQueue, JOBS, type NewJob } from "../jobs/jobs.ts";
import { ALL, within } from "../store/filter.ts";
import type { Definition, Engine, Id, Space, StoredRecord } from "../store/port.ts";

interface AdoptServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What earlier versions noted of removals, each kind of job in a place of its own. */
const EARLIER: readonly {
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
const BATCH = 100;

/** Where earlier versions kept what `_locks` has now. */
const EARLIER_LOCKS = {
  name: "_collectionTurns",
  fields: {},
  indexes: [],
  trash: false,
} satisfies Definition;

/** Where earlier versions kept the spaces that had messages to webhooks. */
const EARLIER_WAITING_SPACES = {
  name: "waitingWebhookSpaces",
  fields: {},
  indexes: [],
  trash: false,
} satisfies Definition;

/** Takes over what earlier versions, which had several queues, kept in the control space. */
export async function adoptQueue(
  { engine, jobRunner }: AdoptServices & { readonly jobRunner: JobQueue },
): Promise<void> {
  if (!(await engine.kinds("control")).includes(EARLIER_WAITING_SPACES.name)) return;
  const waiting = engine.records("control", EARLIER_WAITING_SPACES);
  for await (const { space } of waiting.find({ filter: ALL })) {
    await jobRunner.announce(space as Space);
  }
  const passes = within("kind", ["deliver", "runJobs"]);
  await engine.records("control", JOBS).deleteMany(passes, BATCH);
  await engine.drop("control", EARLIER_WAITING_SPACES);
}

/** Makes jobs of a project's notes of removals that an earlier version left. */
export async function adoptNotes(services: AdoptServices, projectId: Id): Promise<void> {
  const { engine } = services;
  const kinds = await engine.kinds(projectId);
  for (const { place, kind, jobOf } of EARLIER) {
    if (!kinds.includes(place.name)) continue;
    for (let left = true; left;) {
      left = await engine.transaction(projectId, async (tx) => {
        const notes = tx.records(place);
        const found = await Array.fromAsync(notes.find({ filter: ALL, limit: BATCH }));
        await enqueue(tx, services, found.map(jobOf), { kind });
        await notes.deleteMany(within("_id", found.map(({ _id }) => _id)), BATCH);
        return found.length === BATCH;
      });
    }
    await engine.drop(projectId, place);
  }
  if (kinds.includes(EARLIER_LOCKS.name)) await engine.drop(projectId, EARLIER_LOCKS);
}
