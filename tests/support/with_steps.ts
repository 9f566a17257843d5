import type { Blobs, Pieces } from "@/lib/files/blobs.ts";
import type { BlobStores } from "@/lib/files/stores.ts";
import type { Services } from "@/lib/services.ts";
import type { Engine, Records, Space, StoredRecord, Transaction } from "@/lib/store/port.ts";
import { engineOver } from "./engine_over.ts";

/** Called before a step such as `_uploads.updateOne`, `commit` or `blobs.publish`. */
export type Step = (name: string, space: Space | null) => void | Promise<void>;

/** Returns the services with a call of `step` before each step that they take in a store. */
export function withSteps(services: Services, step: Step): Services {
  const { engine, blobStores, localFiles } = services;
  return {
    ...services,
    localFiles: localFiles && methodsWithSteps(localFiles, "files", step, null),
    engine: engineWithSteps(engine, step),
    blobStores: storesWithSteps(blobStores, step),
  };
}

function engineWithSteps(engine: Engine, step: Step): Engine {
  return engineOver(engine, {
    records: (space, definition, quota) =>
      methodsWithSteps(engine.records(space, definition, quota), definition.name, step, space),
    async transaction<T>(space: Space, work: (tx: Transaction) => Promise<T>): Promise<T> {
      await step("begin", space);
      const result = await engine.transaction(space, async (tx) => {
        const result = await work({
          define: tx.define.bind(tx),
          records: <R extends StoredRecord>(
            ...[definition, quota]: Parameters<Transaction["records"]>
          ) =>
            methodsWithSteps<Records<R>>(
              tx.records<R>(definition, quota),
              definition.name,
              step,
              space,
            ),
        });
        await step("commit", space);
        return result;
      });
      await step("committed", space);
      return result;
    },
  });
}

function storesWithSteps(stores: BlobStores, step: Step): BlobStores {
  const wrapBlobs = (blobs: Blobs) => methodsWithSteps(blobs, "blobs", step, null);
  return {
    internal: wrapBlobs(stores.internal),
    async currentTarget(projectId) {
      const { name, blobs } = await stores.currentTarget(projectId);
      return { name, blobs: wrapBlobs(blobs) };
    },
    blobsOf: async (projectId, target) => wrapBlobs(await stores.blobsOf(projectId, target)),
    sizesUrl: (...given) => stores.sizesUrl(...given),
    resumableUrl: (path) => stores.resumableUrl(path),
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
  };
}

/** Methods that return synchronously are not steps. */
const AT_ONCE = new Set<PropertyKey>(["publicUrl", "write", "constructor"]);

/** Methods whose results are wrapped too, with the names of the results. */
const PARTS: Readonly<Record<string, string>> = { receive: "incoming", resume: "pieceWriter" };

/** Returns the object with `step` called before each of its methods. */
function methodsWithSteps<T extends object>(
  target: T,
  name: string,
  step: Step,
  space: Space | null,
): T {
  return new Proxy(target, {
    get(_, method, announced) {
      const value = target[method as keyof T];
      if (method === "pieces") {
        return methodsWithSteps(value as Pieces, "pieces", step, space) as T[keyof T];
      }
      if (typeof value !== "function") return value;
      if (typeof method === "symbol" || AT_ONCE.has(method)) return value.bind(target);
      // `find` is implemented by lists, which are steps themselves.
      if (method === "find") return value.bind(announced);
      return async (...args: unknown[]) => {
        await step(`${name}.${method}`, space);
        const result = await value.apply(target, args);
        const part = PARTS[String(method)];
        return part === undefined || result === null
          ? result
          : methodsWithSteps(result, part, step, space);
      };
    },
  });
}
