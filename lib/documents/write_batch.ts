import type { Caller } from "../auth/principals.ts";
import { namesUsers } from "../http/path.ts";
import { BATCH_ANSWER_BYTES_MAX } from "../limits.ts";
import { turnTaker } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { bytesOf } from "../store/json_text.ts";
import type { Id, Json } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import {
  callerTag,
  openForWriting,
  settled,
  type WriteAccess,
  type WriteAccessServices,
} from "./access.ts";
import { DefaultsRoom } from "./defaults.ts";
import { announceRemovals } from "./keep_files.ts";
import { type DocumentWrite, prepareWrite, type Written } from "./prepare_write.ts";
import { type OpenedWrite, runWithin, untilWritten, type WriteServices } from "./write_document.ts";
import { writeOnce } from "./write_once.ts";

/** What is done to one document of a batch. `ifMatch` is what the header of that name would be. */
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
  /** 1 to 100 of them. */
  readonly operations: readonly BatchOperation[];
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null;
}

/**
 * Does all operations in one transaction, in their order, each under the caller's rules; or none of
 * them. Resolves to the JSON text of `{ results }`. Throws the first refusal, with the index of its
 * operation, and what {@linkcode writeOnce} does.
 */
export async function writeBatch(
  services: WriteServices & WriteAccessServices,
  caller: Caller,
  input: BatchInput,
): Promise<string> {
  const targets = await openTargets(services, caller, input.operations);
  return await settled(targets, (targets) => writeAll(services, caller, { ...input, targets }));
}

/** Each collection once, in the order in which they are named. */
async function openTargets(
  services: WriteAccessServices,
  caller: Caller,
  operations: readonly BatchOperation[],
): Promise<WriteAccess[]> {
  const targets = new Map<string, WriteAccess>();
  for (const [index, { collection }] of operations.entries()) {
    if (targets.has(collection)) continue;
    const opened = await inOperation(index, () => {
      if (namesUsers(collection)) throw new Problem("USERS_RESERVED");
      return openForWriting(services, caller, collection);
    });
    targets.set(collection, opened);
  }
  return [...targets.values()];
}

async function writeAll(
  services: WriteServices,
  caller: Caller,
  { operations, idempotencyKey: key, targets }: BatchInput & {
    readonly targets: readonly WriteAccess[];
  },
): Promise<string> {
  await announceRemovals(services, caller.projectId, targets.map(({ collection }) => collection));
  const byName = new Map(targets.map((one) => [one.collection.definition.name, one]));
  const preparing = { ...services, defaultsRoom: new DefaultsRoom() };
  const writes: OpenedWrite[] = [];
  const takeTurns = turnTaker();
  for (const [index, operation] of operations.entries()) {
    const target = byName.get(operation.collection)!; // All of them were opened.
    await inOperation(index, () => {
      writes.push({ prepared: prepareWrite(preparing, target, writeOf(operation)), target });
    });
    await takeTurns();
  }
  const owner = { projectId: caller.projectId, callerTag: callerTag(caller) };
  const request = key === null ? "" : JSON.stringify(["batch", operations]);
  /** The operation that is being done; -1 where none is. */
  let at = -1;
  const { data } = await inOperation(
    () => at,
    () =>
      untilWritten(
        () => writes[at] ?? null,
        () =>
          writeOnce(services, owner, { key, request }, async (scope, room) => {
            const results = new Results();
            for (at = 0; at < writes.length; at++) {
              results.add(await runWithin({ scope, room, services }, writes[at]!));
            }
            at = -1;
            return { data: results.text(), isNew: false };
          }),
      ),
  );
  return data;
}

function writeOf(operation: BatchOperation): DocumentWrite {
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

/** What is answered of the operations. */
class Results {
  readonly #texts: string[] = [];
  #bytes = 0;

  /** Throws `ANSWER_TOO_LARGE`. */
  add({ id, stored }: Written): void {
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

/** Says which operation a refusal is about. @param index Less than 0 where it is about none. */
async function inOperation<T>(
  index: number | (() => number),
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const operation = typeof index === "number" ? index : index();
    if (!(error instanceof Problem) || operation < 0) throw error;
    throw error.inOperation(operation);
  }
}
