import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { DefaultsRoom, withDefaults } from "../documents/defaults.ts";
import { parseDefinition } from "../documents/definition.ts";
import type { FieldDefinition } from "../documents/fields.ts";
import { type CollectionRename, withReference } from "../documents/references.ts";
import { validateMembers } from "../documents/validate.ts";
import { USER_FIELDS_BYTES_MAX } from "../limits.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { type FieldFault, Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import { exceedsBytes } from "../store/json_text.ts";
import type { Definition, Engine, Id, Json, StoredRecord, Transaction } from "../store/port.ts";
import { own } from "../store/shape.ts";
import { exactBytesText } from "../text/amounts.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";

/** A field that a project declares for its users, beside what every user has. */
export interface UserField extends FieldDefinition {
  /** Whether everybody may see it. */
  readonly public: boolean;
}

/** Members of every user: no declared field may have one of their names. */
export const BUILT_IN: readonly string[] = [
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

/** Those that users set themselves. */
export const PROFILE = ["name", "username", "avatarUrl"] as const;

type UserFieldsRecord = StoredRecord & { fields: Json };

/** In each project's space, one record. */
const USER_FIELDS: Definition = {
  name: "_userFields",
  fields: {},
  indexes: [],
  trash: false,
};

const THE_ONE = hashedId("user fields");

/** Knows what projects declare for their users. */
export interface UserFields {
  of(projectId: Id): MaybePromise<readonly UserField[]>;
  /** Drops what is remembered of a project; other processes notice within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const PROJECTS_KEPT = 10_000;

export function createUserFields(engine: Engine, clock: Clock): UserFields {
  const options = { clock, max: PROJECTS_KEPT };
  const known = createReadThrough<readonly UserField[]>(options, async (projectId) => {
    const found = await engine.records<UserFieldsRecord>(projectId, USER_FIELDS).get(THE_ONE);
    // Written by `saveUserFields` alone.
    return (found?.value.fields ?? []) as unknown as readonly UserField[];
  });
  return {
    of: (projectId) => known.get(projectId) as MaybePromise<readonly UserField[]>, // Never null.
    forget: (projectId) => known.drop(projectId),
  };
}

/** Fields as somebody sent them: each as a collection's, and perhaps `public`. */
export type GivenUserFields = readonly { readonly [member: string]: unknown }[];

/**
 * Declares a project's user fields anew. What is stored of fields that are declared no more stays,
 * and is not shown. Throws `INVALID_DEFINITION`.
 */
export async function saveUserFields(
  { engine, userFields }: { readonly engine: Engine; readonly userFields: UserFields },
  projectId: Id,
  given: GivenUserFields,
): Promise<readonly UserField[]> {
  const fields = checkedFields(given);
  const json = fields as unknown as Json; // It came as JSON.
  await engine.records<UserFieldsRecord>(projectId, USER_FIELDS)
    .upsert(eq("_id", THE_ONE), { set: { fields: json } }, { _id: THE_ONE, fields: json });
  userFields.forget(projectId);
  return fields;
}

/** Has fields of users refer to a collection by its new name, in the transaction that gives it that. */
export async function renameUserReferences(
  tx: Transaction,
  rename: CollectionRename,
): Promise<void> {
  const records = tx.records<UserFieldsRecord>(USER_FIELDS);
  const found = await records.get(THE_ONE);
  if (found === null) return;
  const before = found.value.fields as unknown as readonly UserField[]; // As they were saved.
  const fields = before.map((field) => withReference(field, rename)) as unknown as Json;
  await records.updateOne(eq("_id", THE_ONE), { set: { fields } });
}

/** What a collection of these fields alone would refuse, and what makes no sense for users. */
function checkedFields(given: GivenUserFields): UserField[] {
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
    if (typeof open !== "boolean") throw invalid(field.key, 'has a "public" that is no boolean');
    if (BUILT_IN.includes(field.key)) throw invalid(field.key, "is a member of every user");
    if (field.unique || field.index || field.search || field.file) {
      const message = "cannot have unique, index, search or file: only fields of collections can";
      throw invalid(field.key, message);
    }
    if (field.renamedFrom !== undefined) {
      throw invalid(field.key, "cannot be renamed: only fields of collections can");
    }
    return { ...field, public: open };
  });
}

const invalid = (path: string, message: string) =>
  new Problem("INVALID_DEFINITION", {
    message: `The field ${shown(path)} ${message}.`,
    faults: [{ path, message }],
  });

export type Members = { readonly [name: string]: Json };

/**
 * The declared fields of a new user. Throws `INVALID_BODY`.
 * @param mayLack Whether required ones may be missing: who came by a provider was not asked.
 */
export function fieldsOfNewUser(
  fields: readonly UserField[],
  given: Members,
  mayLack = false,
): { [name: string]: Json } {
  const filled = withDefaults(fields, { ...given }, new DefaultsRoom());
  const { value, faults } = validateMembers(fields, filled, true);
  const missing = fields
    .filter(({ key, required }) => required && !mayLack && (own(filled, key) ?? null) === null)
    .map(({ key }) => ({ path: key, message: "is required" }));
  refuse(fields, [...faults, ...missing]);
  return bounded(value);
}

/** Changes of them: null where one is cleared. Throws `INVALID_BODY`. */
export function changedFields(
  fields: readonly UserField[],
  given: Members,
): { [name: string]: Json } {
  const { value, faults } = validateMembers(fields, given, true);
  const cleared = fields
    .filter(({ key, required }) => required && Object.hasOwn(given, key) && given[key] === null)
    .map(({ key }) => ({ path: key, message: "is required and cannot be null" }));
  refuse(fields, [...faults, ...cleared]);
  return bounded(value);
}

/** All of a user's fields together have a bound, so that a list of users does. */
export function bounded<T extends { readonly [name: string]: Json }>(values: T): T {
  if (!exceedsBytes(JSON.stringify(values), USER_FIELDS_BYTES_MAX)) return values;
  throw new Problem("INVALID_BODY", {
    message:
      `A user's own fields may have up to ${exactBytesText(USER_FIELDS_BYTES_MAX)} of JSON ` +
      "together.",
  });
}

/** What may have been meant by a name that is like no declared one. */
function knownFields(fields: readonly UserField[], name: string): string {
  const meant = didYouMean(name, PROFILE);
  if (meant !== "") return meant;
  if (fields.length === 0) return " The project declares no fields for its users.";
  return ` Declared are ${fields.map(({ key }) => key).join(", ")}.`;
}

function refuse(fields: readonly UserField[], faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const { path, message } = first;
  const hint = message === "is not declared" ? knownFields(fields, path) : "";
  throw new Problem("INVALID_BODY", { message: `${shown(path)} ${message}.${hint}`, faults });
}
