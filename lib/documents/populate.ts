import type { Caller } from "../auth/principals.ts";
import { type UserRecord, USERS } from "../auth/users.ts";
import { LIST_LIMIT_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, within } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Filter, Id, Json, Records, StoredRecord } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type AccessServices, openForReading } from "./access.ts";
import type { Collection } from "./collection.ts";
import type { Members } from "./document.ts";
import { refTarget } from "./query.ts";

/**
 * Puts documents in the place of the ids that refer to them, in place: one query per field, one
 * level deep. What the caller may not see stays an id.
 */
export async function populate(
  services: AccessServices,
  caller: Caller,
  { collection, paths }: { collection: Collection; paths: readonly string[] },
  documents: readonly Members[],
): Promise<void> {
  for (const path of paths) {
    const places = documents.flatMap((document) => placesOf(document, path.split(".")));
    const ids = new Set(places.map(({ id }) => id));
    const found = await readTargets(services, caller, refTarget(collection, path)!, [...ids]);
    for (const { put, id } of places) {
      const target = found.get(id);
      if (target !== undefined) put(target);
    }
  }
}

interface Place {
  readonly id: Id;
  put(target: Members): void;
}

function placesOf(holder: Json, [name, ...rest]: readonly string[]): Place[] {
  if (name === undefined || !isObject(holder) || !Object.hasOwn(holder, name)) return [];
  const value = holder[name]!;
  if (rest.length > 0) return placesOf(value, rest);
  if (typeof value === "string") {
    return [{ id: value, put: (target) => void (holder[name] = target) }];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((id, i) =>
    typeof id === "string" ? [{ id, put: (target: Members) => void (value[i] = target) }] : []
  );
}

async function readTargets(
  services: AccessServices,
  caller: Caller,
  name: string,
  ids: readonly Id[],
): Promise<Map<Id, Members>> {
  if (name === "users") return await readUsers(services, caller, ids);
  try {
    const target = await openForReading(services, caller, name);
    return await readAll(target.records, target.visible(false), ids);
  } catch (error) {
    // The collection is gone, or needs a signed-in user: the ids stay ids.
    if (error instanceof Problem) return new Map();
    throw error;
  }
}

/** Of other users no more is shown than what an avatar needs. */
async function readUsers(
  { engine }: AccessServices,
  { projectId }: Caller,
  ids: readonly Id[],
): Promise<Map<Id, Members>> {
  const users = await readAll(engine.records<UserRecord>(projectId, USERS), and(), ids);
  for (const [id, { _id, name, avatarUrl }] of users) {
    users.set(id, { _id: _id!, name: name ?? null, avatarUrl: avatarUrl ?? null });
  }
  return users;
}

async function readAll<T extends StoredRecord>(
  records: Records<T>,
  visible: Filter,
  ids: readonly Id[],
): Promise<Map<Id, Members>> {
  const found = new Map<Id, Members>();
  for (let at = 0; at < ids.length; at += LIST_LIMIT_MAX) {
    const batch = ids.slice(at, at + LIST_LIMIT_MAX);
    const filter = and(within("_id", batch), visible);
    const page = await records.list({ filter, sort: [], limit: batch.length });
    for (const target of parseJson(`[${page.items}]`) as StoredRecord[]) {
      found.set(target._id, target);
    }
  }
  return found;
}
