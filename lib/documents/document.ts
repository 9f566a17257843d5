import { sha256 } from "../crypto/hashes.ts";
import { type FieldFault, Problem } from "../problems.ts";
import { DEFAULTS_BYTES_MAX, DOCUMENT_MEMBERS_MAX, PATH_LENGTH_MAX } from "../limits.ts";
import {
  PathConflict,
  RecordTooLarge,
  TooManyMembers,
  TypeConflict,
  UniqueViolation,
} from "../store/errors.ts";
import type { Id, Json, Stored } from "../store/port.ts";
import { crowded, exceedsMembers, indexedArrays, isObject, own } from "../store/shape.ts";
import { exactBytesText } from "../text/amounts.ts";
import type { WriteAccess } from "./access.ts";
import type { Collection } from "./collection.ts";
import { DefaultsRoom, DefaultsTooLarge, withDefaults } from "./defaults.ts";
import type { FieldDefinition } from "./fields.ts";
import { FAULTS_MAX, validateMembers } from "./validate.ts";
import { isServerField, SERVER_FIELDS } from "./names.ts";
import { shown } from "../text/input_text.ts";

export type Members = { [name: string]: Json };

/** Returns a strong tag: two documents with the same tag have the same text. */
export const etagOf = ({ json }: Pick<Stored, "json">): string => `"${sha256(json).slice(0, 27)}"`;

const refuse = (message: string, faults?: readonly FieldFault[]) =>
  new Problem("INVALID_DOCUMENT", { message, ...(faults && { faults }) });

/** Returns a body that is one object. Throws `INVALID_BODY` and `DOCUMENT_TOO_LARGE`. */
export function asMembers(body: Json): Members {
  if (!isObject(body)) throw notOneObject(body);
  if (exceedsMembers(body, DOCUMENT_MEMBERS_MAX)) throw tooManyMembers();
  return body;
}

function notOneObject(body: Json): Problem {
  const hint = Array.isArray(body)
    ? " A list of documents goes to /bulk."
    : typeof body === "string"
    ? " This is a text: JSON that was encoded twice is one."
    : "";
  return new Problem("INVALID_BODY", { message: `Send one JSON object.${hint}` });
}

const tooManyMembers = (cause?: unknown) =>
  new Problem("DOCUMENT_TOO_LARGE", {
    message:
      `A document may have up to ${DOCUMENT_MEMBERS_MAX} members, those of objects within it ` +
      "included: keep long lists of values in arrays, or in documents of their own.",
    cause,
  });

export interface ValidateOptions {
  /** A field that keeps its stored value if the members do not name it. */
  readonly kept?: string | null;
  /** Limits the defaults of all documents of a request together. */
  readonly room?: DefaultsRoom | undefined;
}

/**
 * Fills what is missing, fits every value, and checks what is required. Throws `INVALID_DOCUMENT`
 * and `DOCUMENT_TOO_LARGE`.
 */
export function validateDocument(
  { definition, records }: Collection,
  members: Members,
  { kept = null, room = new DefaultsRoom() }: ValidateOptions = {},
): Members {
  const filled = filledWithin(room, definition.fields, members);
  const { value, faults } = validateMembers(definition.fields, filled, definition.strict);
  const missing = definition.fields
    .filter(({ key, required }) => required && key !== kept && (own(filled, key) ?? null) === null)
    .map(({ key }) => ({ path: key, message: "is required" }));
  refuseFaults([...faults, ...missing, ...crowded(indexedArrays(records), value)]);
  return value;
}

function filledWithin(
  room: DefaultsRoom,
  fields: readonly FieldDefinition[],
  members: Members,
): Members {
  try {
    return withDefaults(fields, members, room);
  } catch (cause) {
    if (!(cause instanceof DefaultsTooLarge)) throw cause;
    throw new Problem("DOCUMENT_TOO_LARGE", {
      message: "The collection's defaults would add more than " +
        `${exactBytesText(DEFAULTS_BYTES_MAX)} to what ` +
        "was sent: send less at once, or the values themselves.",
      cause,
    });
  }
}

/** Throws `INVALID_DOCUMENT` with the first faults, if there are any. */
export function refuseFaults(faults: readonly FieldFault[]): void {
  if (faults.length === 0) return;
  const first = faults.slice(0, FAULTS_MAX)
    .map(({ path, message }) => ({ path: path.slice(0, PATH_LENGTH_MAX), message }));
  const told = first.map(({ path, message }) =>
    path === "" ? `The document ${message}` : `The field ${shown(path)} ${message}`
  );
  throw refuse(`${told.join(". ")}.`, first);
}

/** Adds the signed-in user as the owner of a new document. The secret key may name any owner. */
export function withOwner({ collection, ownerId }: WriteAccess, members: Members): Members {
  if (ownerId === null) return members;
  const { ownerField } = collection.definition.rls;
  const named = own(members, ownerField);
  if (named !== undefined && named !== ownerId) {
    throw new Problem("OWNER_MISMATCH", {
      message:
        `The field ${shown(ownerField)} names somebody else as the document's owner: leave ` +
        "it out, and the document is the signed-in user's.",
    });
  }
  return { ...members, [ownerField]: ownerId };
}

/** Throws `OWNER_IMMUTABLE` if a signed-in user names another owner. */
export function checkOwnerUnchanged({ collection, ownerId }: WriteAccess, members: Members): void {
  const { ownerField } = collection.definition.rls;
  if (ownerId === null || !Object.hasOwn(members, ownerField)) return;
  if (members[ownerField] !== ownerId) throw new Problem("OWNER_IMMUTABLE");
}

/**
 * Leaves out the fields that the server sets, so that a document can be sent back as it was read.
 * Throws `FIELD_READ_ONLY` for another `_id`, and for any of these fields in a new document.
 * @param id Null for a new document.
 */
export function withoutServerFields(members: Members, id: Id | null): Members {
  if (!hasServerFields(members)) return members;
  const kept: Members = {};
  for (const [name, value] of Object.entries(members)) {
    if (!isServerField(name)) kept[name] = value;
    else if (id === null || (name === "_id" && value !== id)) {
      throw new Problem("FIELD_READ_ONLY", {
        message: `The field ${shown(name)} is set by the server: leave it out.`,
        faults: [{ path: name, message: "is set by the server" }],
      });
    }
  }
  return kept;
}

const hasServerFields = (members: Members): boolean =>
  SERVER_FIELDS.some((name) => Object.hasOwn(members, name));

/** @param options.holder The document that has the values already, for the message. */
export function duplicateValue(
  paths: readonly string[],
  { holder = "Another document", cause }: { holder?: string; cause?: UniqueViolation } = {},
): Problem {
  const alone = paths.length === 1;
  return new Problem("DUPLICATE_VALUE", {
    message: alone
      ? `${holder} already has this value in the unique field ${shown(paths[0]!)}.`
      : `${holder} already has these values in ${paths.map(shown).join(" and ")} together.`,
    cause,
    faults: paths.map((path) => ({
      path,
      message: `has a value that another document already has${alone ? "" : ", with the others"}`,
    })),
  });
}

/** Returns the refusal for what the store has refused; any other error as it is. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof UniqueViolation) {
    return duplicateValue(error.path.split(","), { cause: error });
  }
  if (error instanceof TooManyMembers) return tooManyMembers(error);
  if (error instanceof RecordTooLarge) return new Problem("DOCUMENT_TOO_LARGE", { cause: error });
  if (error instanceof PathConflict) {
    return refuse(`The path ${shown(error.path)} leads through a value that is not an object.`);
  }
  if (error instanceof TypeConflict) {
    const { path, why: message } = error;
    return refuse(`The field ${shown(path)} ${message}.`, [{ path, message }]);
  }
  return error;
}
