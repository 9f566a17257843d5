import { type Clock, timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Change, Engine, Filter, Id, Stored } from "../store/port.ts";
import { explainMissingWrite, ownerFilter, settled, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import {
  asMembers,
  checkOwnerUnchanged,
  type Members,
  refuseFaults,
  validateDocument,
  withoutServerFields,
  writing,
} from "./document.ts";
import { requiredBeside, validateChanges } from "./validate_changes.ts";
import { unchangedSince } from "./precondition.ts";
import { type QuotaServices, withinQuota } from "./quota.ts";
import type { Json } from "../store/port.ts";

export interface WriteInput {
  readonly id: Id;
  readonly body: Json;
  /** The `If-Match` header. */
  readonly ifMatch: string | null;
}

const LIVE = eq("isDeleted", false);

export interface WriteServices extends QuotaServices {
  readonly clock: Clock;
  readonly engine: Engine;
}

/** `PUT`: everything but the id, the owner and the creation time is replaced. */
export function replaceDocument(
  services: WriteServices,
  target: WriteAccess,
  input: WriteInput,
): Promise<Stored<StoredDocument>> {
  return write(services, target, input, ({ collection }, members, now) => {
    const { rls } = collection.definition;
    const kept = rls.enabled && !Object.hasOwn(members, rls.ownerField) ? rls.ownerField : null;
    const replace = {
      ...validateDocument(collection, members, { kept }),
      updatedAt: now,
      isDeleted: false,
      deletedAt: null,
    };
    const keep = kept === null ? ["createdAt"] : [kept, "createdAt"];
    return { change: { replace, keep }, beside: [] };
  });
}

/** `PATCH`: each named top-level field is replaced whole; a dotted path changes a part. */
export function patchDocument(
  services: WriteServices,
  target: WriteAccess,
  input: WriteInput,
): Promise<Stored<StoredDocument>> {
  return write(services, target, input, ({ collection }, members, now) => {
    const { value, faults } = validateChanges(collection, members);
    refuseFaults(faults);
    const beside = requiredBeside(collection, Object.keys(members));
    value.updatedAt = now; // The validated members are nobody else's; a copy of many takes its time.
    return { change: { set: value }, beside };
  });
}

/** What a write is to do, and which members must be there already for it to leave a document whole. */
interface Wanted {
  readonly change: Change;
  readonly beside: readonly string[];
}

type WantedOf = (target: WriteAccess, members: Members, now: string) => Wanted;

const write = (
  services: WriteServices,
  target: WriteAccess,
  input: WriteInput,
  wantedOf: WantedOf,
): Promise<Stored<StoredDocument>> =>
  settled(target, (target) => writeOnce(services, target, input, wantedOf));

async function writeOnce(
  services: WriteServices,
  target: WriteAccess,
  { id, body, ifMatch }: WriteInput,
  wantedOf: WantedOf,
): Promise<Stored<StoredDocument>> {
  const own = withoutServerFields(asMembers(body), id);
  const mine = and(eq("_id", id), LIVE, ownerFilter(target));
  let unchanged: Filter = and();
  if (ifMatch !== null) {
    const current = await target.records.findOne(mine);
    if (current === null) throw await explainMissingWrite(target, id);
    unchanged = unchangedSince(current, ifMatch);
  }
  checkOwnerUnchanged(target, own);
  const { change, beside } = wantedOf(target, own, timestamp(services.clock));
  const whole = beside.map((path) => compare(path, "ne", null));
  const filter = and(mine, unchanged, ...whole);
  const { projectId, collection } = target;
  const changed = await withinQuota(services, projectId, (room) => {
    const records = services.engine.records<StoredDocument>(projectId, collection.records, room);
    return writing(() => records.updateOne(filter, change));
  });
  if (changed !== null) return changed;
  if (beside.length > 0 && await target.records.findOne(and(mine, unchanged)) !== null) {
    refuseFaults(beside.map((path) => ({ path, message: "is required in the object it lies in" })));
  }
  throw await lostOrRefused(target, { id, conditional: ifMatch !== null, inTrash: false });
}

/** A write found nothing: the document changed meanwhile, or it is not to be written. */
export async function lostOrRefused(
  target: WriteAccess,
  { id, conditional, inTrash }: { id: Id; conditional: boolean; inTrash: boolean },
): Promise<Problem> {
  if (conditional) {
    const place = inTrash ? ALL : LIVE;
    const still = await target.records.findOne(and(eq("_id", id), place, ownerFilter(target)));
    if (still !== null) return new Problem("PRECONDITION_FAILED");
  }
  return await explainMissingWrite(target, id, inTrash);
}
