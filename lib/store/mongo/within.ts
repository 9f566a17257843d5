import type { Access } from "./access.ts";

const NOTHING_LEFT: Disposable = { [Symbol.dispose]() {} };

/**
 * Does `work` in a transaction of its own, as one write of a larger whole. Leave to add bytes is
 * given back at its end, or when it is run again.
 */
export async function within<R>(access: Access, work: (inside: Access) => Promise<R>): Promise<R> {
  const { take } = access;
  const taken: Disposable[] = [];
  const giveBack = () => taken.splice(0).forEach((one) => one[Symbol.dispose]());
  try {
    return await access.together((session) => {
      giveBack();
      const run = <T>(one: () => Promise<T>): Promise<T> => one();
      return work({
        ...access,
        session,
        readConnections: null,
        run,
        remove: run,
        write: run,
        together: (one) => one(session),
        take: take && (async (bytes) => {
          taken.push(await take(bytes));
          return NOTHING_LEFT;
        }),
      });
    });
  } finally {
    giveBack();
  }
}
