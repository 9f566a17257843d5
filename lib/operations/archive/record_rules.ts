import type { z } from "zod";
import {
  type Collection,
  compileCollection,
  type StoredDocument,
} from "../../documents/collection.ts";
import { isServerField } from "../../documents/names.ts";
import { validateMembers } from "../../documents/validate.ts";
import { findViolation, rulesPerDocument, violationText } from "../../documents/violations.ts";
import { IDENTITIES } from "../../auth/identities.ts";
import { USERNAME, USERS } from "../../auth/users.ts";
import { RecordTooLarge, TooManyMembers, TypeConflict } from "../../store/errors.ts";
import type { Definition, Id, StoredRecord } from "../../store/port.ts";
import { storableText } from "../../store/texts.ts";
import type { FullConfiguration } from "../project_configuration.ts";
import {
  ArchivedIdentity,
  ArchivedUser,
  collectionFolder,
  IDENTITIES_FOLDER,
  USERS_FOLDER,
} from "./format.ts";
import type { ArchivedRecord } from "./reader.ts";

/** Rules of one folder's records. */
export interface RecordRules {
  readonly definition: Definition;
  /** Null if the records are not documents. */
  readonly collection: Collection | null;
  /** Returns why a record is invalid, or null. Call it in the order of the archive. */
  faultOf(record: ArchivedRecord): string | null;
}

/** Returns rules by folder. */
export function createRecordRules(
  { collections }: Pick<FullConfiguration, "collections">,
): ReadonlyMap<string, RecordRules> {
  return new Map([
    [USERS_FOLDER, withOrderCheck({ definition: USERS, collection: null }, userFault)],
    [
      IDENTITIES_FOLDER,
      withOrderCheck(
        { definition: IDENTITIES, collection: null },
        (record) => schemaFault(ArchivedIdentity, record),
      ),
    ],
    ...collections.map((definition) => {
      const collection = compileCollection(definition);
      const rules = rulesPerDocument(definition);
      return [
        collectionFolder(definition.name),
        withOrderCheck(
          { definition: collection.records, collection },
          (record) =>
            documentFault(record) ?? fieldFault(rules, record) ?? memberFault(record) ??
              sizeFault(collection, record),
        ),
      ] as const;
    }),
  ]);
}

type FaultFinder = (record: StoredRecord) => string | null;

/** A resumed import skips ids up to the last stored one, and would lose records out of order. */
function withOrderCheck(kind: Omit<RecordRules, "faultOf">, faultOf: FaultFinder): RecordRules {
  let last: Id = "";
  return {
    ...kind,
    faultOf({ value }) {
      const { _id } = value;
      if (_id === last) return "it has the id of the record before it";
      if (_id < last) return "it is not in the order of the ids";
      last = _id;
      return faultOf(value);
    },
  };
}

const userFault: FaultFinder = (record) => {
  const { username, usernameLower = null } = record;
  if (typeof usernameLower === "string") {
    const isOwn = typeof username === "string" && USERNAME.test(username) &&
      username.toLowerCase() === usernameLower;
    if (!isOwn) return '"usernameLower" is not the username in lower case';
  }
  return schemaFault(ArchivedUser, record);
};

function schemaFault(schema: z.ZodType, record: StoredRecord): string | null {
  const { error } = schema.safeParse(record);
  if (error === undefined) return null;
  const { path, message } = error.issues[0]!;
  return `"${path.join(".")}" ${message}`;
}

const TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isTime = (value: unknown): boolean =>
  typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value));

const documentFault: FaultFinder = ({ createdAt, updatedAt, isDeleted, deletedAt }) => {
  if (!isTime(createdAt)) return '"createdAt" must be a time in UTC with milliseconds';
  if (!isTime(updatedAt)) return '"updatedAt" must be a time in UTC with milliseconds';
  if (typeof isDeleted !== "boolean") return '"isDeleted" must be true or false';
  if (isDeleted ? isTime(deletedAt) : deletedAt === null) return null;
  return '"deletedAt" must be a time if "isDeleted" is true, and null otherwise';
};

/** Undeclared members have no other rules. */
const memberFault: FaultFinder = (record) => {
  const members = Object.entries(record).filter(([name]) => !isServerField(name));
  const [fault] = validateMembers([], Object.fromEntries(members), false).faults;
  return fault === undefined ? null : `"${fault.path}" ${fault.message}`;
};

function fieldFault(
  rules: ReturnType<typeof rulesPerDocument>,
  record: StoredRecord,
): string | null {
  // documentFault() has checked the server's fields.
  const violation = findViolation(rules, record as StoredDocument);
  return violation && violationText(violation);
}

function sizeFault({ records }: Collection, record: StoredRecord): string | null {
  try {
    storableText(records, record);
    return null;
  } catch (error) {
    if (error instanceof TypeConflict) return `"${error.path}" ${error.reason}`;
    if (error instanceof RecordTooLarge) return "it is too large for a document";
    if (error instanceof TooManyMembers) return "it has too many members for a document";
    throw error;
  }
}
