import type {
  Definition,
  Engine,
  Records,
  Space,
  StoredRecord,
  WriteOptions,
} from "@/lib/store/port.ts";
import { engineOver } from "./engine_over.ts";

const WRITES = [
  "insert",
  "insertMany",
  "updateOne",
  "upsert",
  "deleteOne",
  "deleteMany",
] as const;

/**
 * Wraps an engine with a fence that waits for writes in progress. MongoDB changes a collection's
 * validator only when no write to it is in progress. The stand-in of the tests does not wait, and a
 * document may be stored after the change although its write began before it.
 */
export function withWaitingFence(engine: Engine): Engine {
  const writes = new Set<Promise<unknown>>();
  let fence: Promise<void> | null = null;
  async function runWrite<T>(write: () => Promise<T>): Promise<T> {
    while (fence !== null) await fence;
    const pending = write();
    writes.add(pending);
    try {
      return await pending;
    } finally {
      writes.delete(pending);
    }
  }
  async function runFence(work: () => Promise<void>): Promise<void> {
    while (fence !== null) await fence;
    const { promise, resolve } = Promise.withResolvers<void>();
    fence = promise;
    try {
      await Promise.allSettled(writes);
      await work();
    } finally {
      fence = null;
      resolve();
    }
  }
  return engineOver(engine, {
    records: <T extends StoredRecord>(
      space: Space,
      definition: Definition,
      writing?: WriteOptions,
    ) => withWrites(engine.records<T>(space, definition, writing), runWrite),
    transaction: (space, work) => runWrite(() => engine.transaction(space, work)),
    fence: (space, place) => runFence(() => engine.fence(space, place)),
  });
}

type RunWrite = <T>(write: () => Promise<T>) => Promise<T>;

const withWrites = <T extends StoredRecord>(
  records: Records<T>,
  runWrite: RunWrite,
): Records<T> =>
  new Proxy(records, {
    get(beneath, key) {
      const value = Reflect.get(beneath, key, beneath);
      if (typeof value !== "function") return value;
      const call = value.bind(beneath);
      return WRITES.some((name) => name === key)
        ? (...given: unknown[]) => runWrite(() => call(...given))
        : call;
    },
  });
