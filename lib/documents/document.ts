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
import {
  exceedsMembers,
  indexedArrays,
  isObject,
  oversizedArrayFaults,
  ownMember,
} from "../store/shape.ts";
import { exactBytesText } from "../text/amounts.ts";
import type { WriteAccess } from "./access.ts";
import type { Collection } from "./collection.ts";
import { DefaultsBudget, DefaultsTooLarge, withDefaults } from "./defaults.ts";
import type { FieldDefinition } from "./fields.ts";
import { FAULTS_MAX, validateMembers } from "./validate.ts";
import { isServerField, SERVER_FIELDS } from "./names.ts";
import { quoted } from "../text/input_text.ts";

export type Members = { [name: string]: Json };

/** Returns a strong tag: documents with the same tag have the same text. */
export const etagOf = ({ json }: Pick<Stored, "json">): string => `"${sha256(json).slice(0, 27)}"`;

const invalid = (message: string, faults?: readonly FieldFault[]) =>
  new Problem("INVALID_DOCUMENT", { message, ...(faults && { faults }) });

/** Throws `INVALID_BODY` and `DOCUMENT_TOO_LARGE`. */
export function asMembers(body: Json): Members {
  if (!isObject(body)) throw notAnObject(body);
  if (exceedsMembers(body, DOCUMENT_MEMBERS_MAX)) throw tooManyMembers();
  return body;
}

function notAnObject(body: Json): Problem {
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
  /** Required field that may be missing, because it keeps its stored value. */
  readonly kept?: string | null;
  /** Limit for the defaults of all documents of a request together. */
  readonly defaultsBudget?: DefaultsBudget | undefined;
}

/** Returns the members in their stored form. Throws `INVALID_DOCUMENT` and `DOCUMENT_TOO_LARGE`. */
export function validateDocument(
  { definition, records }: Collection,
  members: Members,
  { kept = null, defaultsBudget = new DefaultsBudget() }: ValidateOptions = {},
): Members {
  const filled = fillDefaults(defaultsBudget, definition.fields, members);
  const { value, faults } = validateMembers(definition.fields, filled, definition.strict);
  const missing = definition.fields
    .filter(({ key, required }) =>
      required && key !== kept && (ownMember(filled, key) ?? null) === null
    )
    .map(({ key }) => ({ path: key, message: "is required" }));
  rejectFaults([...faults, ...missing, ...oversizedArrayFaults(indexedArrays(records), value)]);
  return value;
}

function fillDefaults(
  budget: DefaultsBudget,
  fields: readonly FieldDefinition[],
  members: Members,
): Members {
  try {
    return withDefaults(fields, members, budget);
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
export function rejectFaults(faults: readonly FieldFault[]): void {
  if (faults.length === 0) return;
  const first = faults.slice(0, FAULTS_MAX)
    .map(({ path, message }) => ({ path: path.slice(0, PATH_LENGTH_MAX), message }));
  const messages = first.map(({ path, message }) =>
    path === "" ? `The document ${message}` : `The field ${quoted(path)} ${message}`
  );
  throw invalid(`${messages.join(". ")}.`, first);
}

/** Adds the signed-in user as the owner. The secret key may name any owner. */
export function withOwner({ collection, ownerId }: WriteAccess, members: Members): Members {
  if (ownerId === null) return members;
  const { ownerField } = collection.definition.rls;
  const named = ownMember(members, ownerField);
  if (named !== undefined && named !== ownerId) {
    throw new Problem("OWNER_MISMATCH", {
      message:
        `The field ${quoted(ownerField)} names another user as the document's owner: leave ` +
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
 * Leaves out the server's fields, so that a document can be sent back as it was read.
 * Throws `FIELD_READ_ONLY` for another `_id`, and for these fields in a new document (null `id`).
 */
export function withoutServerFields(members: Members, id: Id | null): Members {
  if (!hasServerFields(members)) return members;
  const kept: Members = {};
  for (const [name, value] of Object.entries(members)) {
    if (!isServerField(name)) kept[name] = value;
    else if (id === null || (name === "_id" && value !== id)) {
      throw new Problem("FIELD_READ_ONLY", {
        message: `The field ${quoted(name)} is set by the server: leave it out.`,
        faults: [{ path: name, message: "is set by the server" }],
      });
    }
  }
  return kept;
}

const hasServerFields = (members: Members): boolean =>
  SERVER_FIELDS.some((name) => Object.hasOwn(members, name));

/** @param options.holder The document that already has the values. */
export function duplicateValue(
  paths: readonly string[],
  { holder = "Another document", cause }: { holder?: string; cause?: UniqueViolation } = {},
): Problem {
  const alone = paths.length === 1;
  return new Problem("DUPLICATE_VALUE", {
    message: alone
      ? `${holder} already has this value in the unique field ${quoted(paths[0]!)}.`
      : `${holder} already has these values in ${paths.map(quoted).join(" and ")} together.`,
    cause,
    faults: paths.map((path) => ({
      path,
      message: `has a value that another document already has${alone ? "" : ", with the others"}`,
    })),
  });
}

/** Returns errors that are not the client's fault unchanged. */
export function toWriteProblem(error: unknown): unknown {
  if (error instanceof UniqueViolation) {
    return duplicateValue(error.path.split(","), { cause: error });
  }
  if (error instanceof TooManyMembers) return tooManyMembers(error);
  if (error instanceof RecordTooLarge) return new Problem("DOCUMENT_TOO_LARGE", { cause: error });
  if (error instanceof PathConflict) {
    return invalid(`The path ${quoted(error.path)} leads through a value that is not an object.`);
  }
  if (error instanceof TypeConflict) {
    const { path, reason: message } = error;
    return invalid(`The field ${quoted(path)} ${message}.`, [{ path, message }]);
  }
  return error;
}
