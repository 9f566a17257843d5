import type { Caller } from "../auth/principals.ts";
import { namesUsers } from "../http/path.ts";
import { BATCH_ANSWER_BYTES_MAX } from "../limits.ts";
import { createTurnTaker } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { bytesOf } from "../store/json_text.ts";
import type { Id, Json } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { openForWriting, type WriteAccess, type WriteAccessServices } from "./access.ts";
import { DefaultsBudget } from "./defaults.ts";
import { type DocumentWrite, prepareWrite, type WrittenDocument } from "./prepare_write.ts";
import {
  explainConflict,
  type OpenedWrite,
  performWrite,
  type PreparedRequest,
  storeDocument,
  type WriteServices,
} from "./write_document.ts";

export type BatchOperation =
  & { readonly collection: string }
  & (
    | { readonly action: "create"; readonly document: Json }
    | { readonly action: "upsert"; readonly id: Id; readonly document: Json }
    | {
      readonly action: "replace" | "patch";
      readonly id: Id;
      readonly document: Json;
      readonly ifMatch?: string | undefined;
    }
    | { readonly action: "delete"; readonly id: Id; readonly ifMatch?: string | undefined }
    | { readonly action: "recover"; readonly id: Id }
  );

export interface BatchInput {
  /** 1 to 100 operations. */
  readonly operations: readonly BatchOperation[];
  readonly idempotencyKey: string | null;
}

/**
 * Performs all operations in one transaction. Returns the JSON text of `{ results }`. Throws the
 * first problem with its operation's index, and the errors of {@linkcode performWrite}.
 */
export async function writeBatch(
  services: WriteServices,
  caller: Caller,
  { operations, idempotencyKey: key }: BatchInput,
): Promise<string> {
  const targets = await openTargets(services, caller, operations);
  const { data } = await performWrite(services, targets, {
    repeatable: { key, request: key === null ? "" : JSON.stringify(["batch", operations]) },
    prepare: (targets) => prepareBatch(services, targets, operations),
  });
  return data;
}

/** Opens each collection once, in the order in which the operations name them. */
async function openTargets(
  services: WriteAccessServices,
  caller: Caller,
  operations: readonly BatchOperation[],
): Promise<WriteAccess[]> {
  const targets = new Map<string, WriteAccess>();
  for (const [index, { collection }] of operations.entries()) {
    if (targets.has(collection)) continue;
    const opened = await withOperationIndex(index, () => {
      if (namesUsers(collection)) throw new Problem("USERS_RESERVED");
      return openForWriting(services, caller, collection);
    });
    targets.set(collection, opened);
  }
  return [...targets.values()];
}

async function prepareBatch(
  services: WriteServices,
  targets: readonly WriteAccess[],
  operations: readonly BatchOperation[],
): Promise<PreparedRequest> {
  const byName = new Map(targets.map((one) => [one.collection.definition.name, one]));
  const preparing = { ...services, defaultsBudget: new DefaultsBudget() };
  const writes: OpenedWrite[] = [];
  const takeTurns = createTurnTaker();
  for (const [index, operation] of operations.entries()) {
    const target = byName.get(operation.collection)!; // `openTargets` opened all collections.
    await withOperationIndex(index, () => {
      writes.push({ prepared: prepareWrite(preparing, target, toWrite(operation)), target });
    });
    await takeTurns();
  }
  /** Index of the operation in progress; -1 if there is none. */
  let at = -1;
  return {
    needsTransaction: true,
    async store(scope, quota) {
      const results = new BatchResults();
      for (at = 0; at < writes.length; at++) {
        results.add(await storeDocument(services, { scope, quota }, writes[at]!));
      }
      at = -1;
      return { data: results.text(), isNew: false };
    },
    async explain(problem) {
      if (at < 0) return { problem, canRetry: false };
      const refusal = await explainConflict(writes[at]!, problem);
      return { ...refusal, problem: refusal.problem.withOperationIndex(at) };
    },
  };
}

function toWrite(operation: BatchOperation): DocumentWrite {
  switch (operation.action) {
    case "create":
      return { action: "create", body: operation.document };
    case "upsert":
      return { action: "upsert", id: operation.id, body: operation.document };
    case "replace":
    case "patch": {
      const { action, id, document: body, ifMatch = null } = operation;
      return { action, id, body, ifMatch };
    }
    case "delete": {
      const { id, ifMatch = null } = operation;
      return { action: "delete", id, ifMatch, permanent: false };
    }
    case "recover":
      return { action: "recover", id: operation.id };
  }
}

class BatchResults {
  readonly #texts: string[] = [];
  #bytes = 0;

  /** Throws `ANSWER_TOO_LARGE`. */
  add({ id, stored }: WrittenDocument): void {
    const text = stored === null
      ? JSON.stringify({ id })
      : `{"id":${JSON.stringify(id)},"document":${stored.json}}`;
    this.#bytes += bytesOf(text);
    if (this.#bytes > BATCH_ANSWER_BYTES_MAX) {
      throw new Problem("ANSWER_TOO_LARGE", {
        message: "The documents of the answer would have more than " +
          `${exactBytesText(BATCH_ANSWER_BYTES_MAX)}: send fewer operations at once.`,
      });
    }
    this.#texts.push(text);
  }

  text(): string {
    return `{"results":[${this.#texts.join()}]}`;
  }
}

/** Adds the index of the operation to problems. */
async function withOperationIndex<T>(index: number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw error.withOperationIndex(index);
  }
}
