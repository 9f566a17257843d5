import type { Blobs, Pieces } from "@/lib/files/blobs.ts";
import type { BlobStores } from "@/lib/files/stores.ts";
import type { Services } from "@/lib/services.ts";
import type { Engine, Records, Space, StoredRecord, Transaction } from "@/lib/store/port.ts";
import { engineOver } from "./engine_over.ts";

/** What is about to happen: `_uploads.updateOne`, `commit`, `blobs.publish`, … */
export type Step = (name: string, space: Space | null) => void | Promise<void>;

/** The services, with every step that they take in a store announced before it is taken. */
export function stepped(services: Services, step: Step): Services {
  const { engine, blobStores, localFiles } = services;
  return {
    ...services,
    localFiles: localFiles && each(localFiles, "files", step, null),
    engine: steppedEngine(engine, step),
    blobStores: steppedStores(blobStores, step),
  };
}

function steppedEngine(engine: Engine, step: Step): Engine {
  return engineOver(engine, {
    records: (space, definition, quota) =>
      each(engine.records(space, definition, quota), definition.name, step, space),
    async transaction<T>(space: Space, work: (tx: Transaction) => Promise<T>): Promise<T> {
      await step("begin", space);
      const result = await engine.transaction(space, async (tx) => {
        const result = await work({
          define: tx.define.bind(tx),
          records: <R extends StoredRecord>(
            ...[definition, quota]: Parameters<Transaction["records"]>
          ) => each<Records<R>>(tx.records<R>(definition, quota), definition.name, step, space),
        });
        await step("commit", space);
        return result;
      });
      await step("committed", space);
      return result;
    },
  });
}

function steppedStores(stores: BlobStores, step: Step): BlobStores {
  const wrapped = (blobs: Blobs) => each(blobs, "blobs", step, null);
  return {
    internal: wrapped(stores.internal),
    async current(projectId) {
      const { name, blobs } = await stores.current(projectId);
      return { name, blobs: wrapped(blobs) };
    },
    named: async (projectId, target) => wrapped(await stores.named(projectId, target)),
    sizesUrl: (...given) => stores.sizesUrl(...given),
    resumableUrl: (path) => stores.resumableUrl(path),
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}

/** Those that answer at once take no step. */
const AT_ONCE = new Set<PropertyKey>(["publicUrl", "write", "constructor"]);

/** What is answered by methods, and is announced too. */
const PARTS: Readonly<Record<string, string>> = { receive: "incoming", goOn: "pieceWriter" };

/** Every call of a method announced. */
function each<T extends object>(target: T, name: string, step: Step, space: Space | null): T {
  return new Proxy(target, {
    get(_, method, announced) {
      const value = target[method as keyof T];
      if (method === "pieces") return each(value as Pieces, "pieces", step, space) as T[keyof T];
      if (typeof value !== "function") return value;
      if (typeof method === "symbol" || AT_ONCE.has(method)) return value.bind(target);
      // It is made of lists, which are announced.
      if (method === "find") return value.bind(announced);
      return async (...args: unknown[]) => {
        await step(`${name}.${method}`, space);
        const result = await value.apply(target, args);
        const part = PARTS[String(method)];
        return part === undefined || result === null ? result : each(result, part, step, space);
      };
    },
  });
}
