import type { Access } from "./access.ts";

const NOTHING_TO_RELEASE: Disposable = { [Symbol.dispose]() {} };

/** Runs `work` as one write in its own transaction, which also releases reserved bytes. */
export async function inOwnTransaction<R>(
  access: Access,
  work: (access: Access) => Promise<R>,
): Promise<R> {
  const { reserveBytes } = access;
  const reservations: Disposable[] = [];
  const releaseAll = () => reservations.splice(0).forEach((one) => one[Symbol.dispose]());
  try {
    return await access.runInTransaction((session) => {
      releaseAll();
      const run = <T>(one: () => Promise<T>): Promise<T> => one();
      return work({
        ...access,
        session,
        readConnections: null,
        run,
        remove: run,
        write: run,
        runInTransaction: (one) => one(session),
        reserveBytes: reserveBytes && (async (bytes) => {
          reservations.push(await reserveBytes(bytes));
          return NOTHING_TO_RELEASE;
        }),
      });
    });
  } finally {
    releaseAll();
  }
}
