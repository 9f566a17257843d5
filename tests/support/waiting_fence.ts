import type {
  Definition,
  Engine,
  Records,
  Space,
  StoredRecord,
  Writing,
} from "@/lib/store/port.ts";
import { engineOver } from "./engine_over.ts";

const WRITES = ["insert", "insertMany", "updateOne", "upsert", "deleteOne", "deleteMany"] as const;

/**
 * MongoDB changes a collection's validator when no write to it is under way, which a fence rests
 * on. The tests' stand-in does not wait: in 1 of 25 changes beside eight writers a document came
 * after it that had been let in before. Here this process waits in its place.
 */
export function withWaitingFence(engine: Engine): Engine {
  const writes = new Set<Promise<unknown>>();
  let fence: Promise<void> | null = null;
  async function beside<T>(write: () => Promise<T>): Promise<T> {
    while (fence !== null) await fence;
    const under = write();
    writes.add(under);
    try {
      return await under;
    } finally {
      writes.delete(under);
    }
  }
  async function alone(work: () => Promise<void>): Promise<void> {
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
    records: <T extends StoredRecord>(space: Space, definition: Definition, writing?: Writing) =>
      writingBy(engine.records<T>(space, definition, writing), beside),
    transaction: (space, work) => beside(() => engine.transaction(space, work)),
    fence: (space, place) => alone(() => engine.fence(space, place)),
  });
}

type Beside = <T>(write: () => Promise<T>) => Promise<T>;

const writingBy = <T extends StoredRecord>(records: Records<T>, beside: Beside): Records<T> =>
  new Proxy(records, {
    get(beneath, key) {
      const value = Reflect.get(beneath, key, beneath);
      if (typeof value !== "function") return value;
      const call = value.bind(beneath);
      return WRITES.some((name) => name === key)
        ? (...given: unknown[]) => beside(() => call(...given))
        : call;
    },
  });
