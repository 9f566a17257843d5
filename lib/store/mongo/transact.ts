import type { ClientSession, MongoClient } from "mongodb";
import type { AbandonedSessions } from "./abandoned.ts";
import { COMMAND_TIME_LIMIT_MS } from "./connect.ts";
import { isPassing, isTransient, isUnknownEnd } from "./failures.ts";

const OPTIONS = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  maxCommitTimeMS: COMMAND_TIME_LIMIT_MS,
} as const;

const PAUSE_MS = 5;
const PAUSE_GROWTH = 1.5;
const PAUSE_MS_MAX = 500;

export interface Attempts {
  readonly client: MongoClient;
  /** Takes the session if the server may not have heard of its end. */
  readonly abandoned: AbandonedSessions;
  /** By `performance.now()`. */
  readonly deadline: number;
}

/**
 * Commits all that `work` does, or nothing of it. As MongoDB demands of its drivers, `work` is run
 * again where that may help, and a commit is asked for again while its end is unknown. Unlike the
 * driver's own `withTransaction`, which asks without a pause and for two minutes, this pauses, and
 * gives up at the deadline. Throws what failed last.
 * @param work Counts its runs from 1.
 */
export async function transact<T>(
  { client, abandoned, deadline }: Attempts,
  work: (session: ClientSession, run: number) => Promise<T>,
): Promise<T> {
  const session = client.startSession();
  let isCommitAsked = false;
  try {
    for (let run = 1;; run++) {
      session.startTransaction(OPTIONS);
      try {
        const result = await work(session, run);
        isCommitAsked = true;
        await commit(session, deadline);
        return result;
      } catch (error) {
        if (session.inTransaction()) await session.abortTransaction();
        if (!isTransient(error) || performance.now() > deadline) {
          if (isCommitAsked || isPassing(error)) spoil(session);
          throw error;
        }
      }
      await pause(run);
    }
  } finally {
    // What failed on the way may not have reached the server, and is open there.
    if (session.serverSession?.isDirty) abandoned.add(session);
    await session.endSession();
  }
}

/** Keeps the driver from using it again, as it does itself after errors of the network. */
function spoil({ serverSession }: ClientSession): void {
  if (serverSession !== null) serverSession.isDirty = true;
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (let asked = 1;; asked++) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!isUnknownEnd(error) || performance.now() > deadline) throw error;
    }
    await pause(asked);
  }
}

/** Of a random length, so that those in each other's way part. */
async function pause(times: number): Promise<void> {
  const ms = Math.random() * Math.min(PAUSE_MS * PAUSE_GROWTH ** times, PAUSE_MS_MAX);
  await new Promise((resolve) => setTimeout(resolve, ms));
}
