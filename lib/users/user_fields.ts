import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { DefaultsBudget, withDefaults } from "../documents/defaults.ts";
import { parseDefinition } from "../documents/definition.ts";
import type { FieldDefinition } from "../documents/fields.ts";
import { type CollectionRename, withNewReference } from "../documents/references.ts";
import { validateMembers } from "../documents/validate.ts";
import { USER_FIELDS_BYTES_MAX } from "../limits.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { type FieldFault, Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import { exceedsBytes } from "../store/json_text.ts";
import type { Definition, Engine, Id, Json, StoredRecord, Transaction } from "../store/port.ts";
import { ownMember } from "../store/shape.ts";
import { exactBytesText } from "../text/amounts.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";

/** A field that a project declares for its users, in addition to the built-in members. */
export interface UserField extends FieldDefinition {
  readonly public: boolean;
}

export const BUILT_IN_MEMBERS: readonly string[] = [
  "_id",
  "email",
  "emailVerified",
  "name",
  "username",
  "avatarUrl",
  "providers",
  "isAnonymous",
  "disabled",
  "password",
  "roles",
  "claims",
  "createdAt",
  "updatedAt",
  "lastSignInAt",
  "message",
];

/** Members that users set themselves. */
export const PROFILE_MEMBERS = ["name", "username", "avatarUrl"] as const;

type UserFieldsRecord = StoredRecord & { fields: Json };

/** The declared fields, in one record. Stored in the project's space. */
const USER_FIELDS: Definition = {
  name: "_userFields",
  fields: {},
  indexes: [],
  trash: false,
};

const RECORD_ID = hashedId("user fields");

export interface UserFields {
  ofProject(projectId: Id): MaybePromise<readonly UserField[]>;
  /** Drops the cache entry of a project. Other processes notice a change within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const CACHED_PROJECTS_MAX = 10_000;

export function createUserFields(engine: Engine, clock: Clock): UserFields {
  const options = { clock, max: CACHED_PROJECTS_MAX };
  const cache = createReadThrough<readonly UserField[]>(options, async (projectId) => {
    const found = await engine.records<UserFieldsRecord>(projectId, USER_FIELDS).get(RECORD_ID);
    // Only `saveUserFields` writes it.
    return (found?.value.fields ?? []) as unknown as readonly UserField[];
  });
  return {
    // The cast is safe because the loader never returns null.
    ofProject: (projectId) => cache.get(projectId) as MaybePromise<readonly UserField[]>,
    forget: (projectId) => cache.drop(projectId),
  };
}

/** Fields as the caller sent them: definitions like those of collections, with `public`. */
export type GivenUserFields = readonly { readonly [member: string]: unknown }[];

/** Keeps stored values of removed fields, hidden. Throws `INVALID_DEFINITION`. */
export async function saveUserFields(
  { engine, userFields }: { readonly engine: Engine; readonly userFields: UserFields },
  projectId: Id,
  given: GivenUserFields,
): Promise<readonly UserField[]> {
  const fields = parseUserFields(given);
  const json = fields as unknown as Json; // It was parsed from JSON.
  await engine.records<UserFieldsRecord>(projectId, USER_FIELDS)
    .upsert(eq("_id", RECORD_ID), { set: { fields: json } }, { _id: RECORD_ID, fields: json });
  userFields.forget(projectId);
  return fields;
}

/** Updates references to a renamed collection in user fields, in the transaction of the rename. */
export async function renameUserReferences(
  tx: Transaction,
  rename: CollectionRename,
): Promise<void> {
  const records = tx.records<UserFieldsRecord>(USER_FIELDS);
  const found = await records.get(RECORD_ID);
  if (found === null) return;
  // Only `saveUserFields` writes them.
  const before = found.value.fields as unknown as readonly UserField[];
  const fields = before.map((field) => withNewReference(field, rename)) as unknown as Json;
  await records.updateOne(eq("_id", RECORD_ID), { set: { fields } });
}

/** Parses fields like those of a collection, and refuses options that users do not support. */
function parseUserFields(given: GivenUserFields): UserField[] {
  const isPublic = new Map(given.map(({ key, public: open = false }) => [key, open]));
  const bare = given.map(({ public: _open, ...field }) => field);
  const { fields } = parseDefinition({
    name: "people",
    fields: bare,
    strict: true,
    rls: { enabled: false },
  });
  return fields.map((field) => {
    const open = isPublic.get(field.key);
    if (typeof open !== "boolean") {
      throw invalidField(field.key, 'has a "public" that is not a boolean');
    }
    if (BUILT_IN_MEMBERS.includes(field.key)) {
      throw invalidField(field.key, "is a member of every user");
    }
    if (field.unique || field.index || field.search || field.file) {
      const message = "cannot have unique, index, search or file: only fields of collections can";
      throw invalidField(field.key, message);
    }
    if (field.renamedFrom !== undefined) {
      throw invalidField(field.key, "cannot be renamed: only fields of collections can");
    }
    return { ...field, public: open };
  });
}

const invalidField = (path: string, message: string) =>
  new Problem("INVALID_DEFINITION", {
    message: `The field ${quoted(path)} ${message}.`,
    faults: [{ path, message }],
  });

export type Members = { readonly [name: string]: Json };

/** Adds defaults. Throws `INVALID_BODY`. `canLackRequired` if the user was not asked for fields. */
export function toNewUserFields(
  fields: readonly UserField[],
  given: Members,
  canLackRequired = false,
): { [name: string]: Json } {
  const filled = withDefaults(fields, { ...given }, new DefaultsBudget());
  const { value, faults } = validateMembers(fields, filled, true);
  const missing = fields
    .filter(({ key, required }) =>
      required && !canLackRequired && (ownMember(filled, key) ?? null) === null
    )
    .map(({ key }) => ({ path: key, message: "is required" }));
  refuseFaults(fields, [...faults, ...missing]);
  return checkFieldsSize(value);
}

/** Validates changes of declared fields. Null clears a field. Throws `INVALID_BODY`. */
export function toChangedFields(
  fields: readonly UserField[],
  given: Members,
): { [name: string]: Json } {
  const { value, faults } = validateMembers(fields, given, true);
  const cleared = fields
    .filter(({ key, required }) => required && Object.hasOwn(given, key) && given[key] === null)
    .map(({ key }) => ({ path: key, message: "is required and cannot be null" }));
  refuseFaults(fields, [...faults, ...cleared]);
  return checkFieldsSize(value);
}

/** Throws `INVALID_BODY` if a user's fields are too large. This limits the size of user lists. */
export function checkFieldsSize<T extends { readonly [name: string]: Json }>(values: T): T {
  if (!exceedsBytes(JSON.stringify(values), USER_FIELDS_BYTES_MAX)) return values;
  throw new Problem("INVALID_BODY", {
    message:
      `A user's own fields may have up to ${exactBytesText(USER_FIELDS_BYTES_MAX)} of JSON ` +
      "together.",
  });
}

/** Returns a hint for an undeclared name: a similar one, or the declared names. */
function suggestField(fields: readonly UserField[], name: string): string {
  const suggestion = didYouMean(name, PROFILE_MEMBERS);
  if (suggestion !== "") return suggestion;
  if (fields.length === 0) return " The project declares no fields for its users.";
  return ` Declared are ${fields.map(({ key }) => key).join(", ")}.`;
}

function refuseFaults(fields: readonly UserField[], faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const { path, message } = first;
  const hint = message === "is not declared" ? suggestField(fields, path) : "";
  throw new Problem("INVALID_BODY", { message: `${quoted(path)} ${message}.${hint}`, faults });
}
