import type { ClientSession, MongoClient } from "mongodb";
import type { AbandonedSessions } from "./abandoned_sessions.ts";
import { COMMAND_TIME_LIMIT_MS } from "./connect.ts";
import { isCommitUnknown, isTemporary, isTransient } from "./failures.ts";

const OPTIONS = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  maxCommitTimeMS: COMMAND_TIME_LIMIT_MS,
} as const;

const PAUSE_MS = 5;
const PAUSE_GROWTH = 1.5;
const PAUSE_MS_MAX = 500;

export interface TransactOptions {
  readonly client: MongoClient;
  /** Receives the session if the server may not have received the end of its transaction. */
  readonly abandoned: AbandonedSessions;
  /** Time at which retries end, on the clock of `performance.now()`. */
  readonly deadline: number;
}

/**
 * Runs `work` in a transaction. As MongoDB requires of drivers, `work` is retried after transient
 * errors, and a commit is repeated while its result is unknown. Unlike the driver's
 * `withTransaction`, which retries without a pause for two minutes, this pauses between attempts
 * and stops at the deadline. Throws the last error.
 *
 * @param work Gets the number of the attempt, from 1.
 */
export async function transact<T>(
  { client, abandoned, deadline }: TransactOptions,
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
          if (isCommitAsked || isTemporary(error)) markDirty(session);
          throw error;
        }
      }
      await pause(run);
    }
  } finally {
    // A command that failed in transit may have left the transaction open on the server.
    if (session.serverSession?.isDirty) abandoned.add(session);
    await session.endSession();
  }
}

/** Keeps the driver from reusing the session, as the driver itself does after network errors. */
function markDirty({ serverSession }: ClientSession): void {
  if (serverSession !== null) serverSession.isDirty = true;
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (let asked = 1;; asked++) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!isCommitUnknown(error) || performance.now() > deadline) throw error;
    }
    await pause(asked);
  }
}

/** Waits for a random time, so that conflicting transactions separate. */
async function pause(times: number): Promise<void> {
  const ms = Math.random() * Math.min(PAUSE_MS * PAUSE_GROWTH ** times, PAUSE_MS_MAX);
  await new Promise((resolve) => setTimeout(resolve, ms));
}
