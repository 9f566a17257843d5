import type { z } from "zod";
import {
  type Collection,
  compileCollection,
  type StoredDocument,
} from "../../documents/collection.ts";
import { isServerField } from "../../documents/names.ts";
import { validateMembers } from "../../documents/validate.ts";
import { rulesAlone, violationOf, whyOf } from "../../documents/violations.ts";
import { IDENTITIES } from "../../auth/identities.ts";
import { USERNAME, USERS } from "../../auth/users.ts";
import { RecordTooLarge, TooManyMembers, TypeConflict } from "../../store/errors.ts";
import type { Definition, Id, StoredRecord } from "../../store/port.ts";
import { fittingText } from "../../store/texts.ts";
import type { WholeConfiguration } from "../project_configuration.ts";
import {
  ArchivedIdentity,
  ArchivedUser,
  collectionFolder,
  IDENTITIES_FOLDER,
  USERS_FOLDER,
} from "./format.ts";
import type { ArchivedRecord } from "./reader.ts";

/** The records of one folder, as they must be to be stored. */
export interface RecordRules {
  /** What they are records of. */
  readonly definition: Definition;
  /** Null where they are no documents. */
  readonly collection: Collection | null;
  /** What is wrong with a record; null if nothing is. Records come in the order of the archive. */
  faultOf(record: ArchivedRecord): string | null;
}

/** By folder, what there may be beside files under a configuration. */
export function rulesUnder(
  { collections }: Pick<WholeConfiguration, "collections">,
): ReadonlyMap<string, RecordRules> {
  return new Map([
    [USERS_FOLDER, inOrder({ definition: USERS, collection: null }, userFault)],
    [
      IDENTITIES_FOLDER,
      inOrder(
        { definition: IDENTITIES, collection: null },
        (record) => schemaFault(ArchivedIdentity, record),
      ),
    ],
    ...collections.map((definition) => {
      const collection = compileCollection(definition);
      const rules = rulesAlone(definition);
      return [
        collectionFolder(definition.name),
        inOrder(
          { definition: collection.records, collection },
          (record) =>
            documentFault(record) ?? fieldFault(rules, record) ?? memberFault(record) ??
              sizeFault(collection, record),
        ),
      ] as const;
    }),
  ]);
}

type Fault = (record: StoredRecord) => string | null;

/** An id that comes again, or too late, would be taken for one that is there already. */
function inOrder(kind: Omit<RecordRules, "faultOf">, faultOf: Fault): RecordRules {
  let last: Id = "";
  return {
    ...kind,
    faultOf({ value }) {
      const { _id } = value;
      if (_id === last) return "its id is that of the record before it";
      if (_id < last) return "it does not stand in the order of the ids";
      last = _id;
      return faultOf(value);
    },
  };
}

const userFault: Fault = (record) => {
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

/** What the server owns of a document. */
const documentFault: Fault = ({ createdAt, updatedAt, isDeleted, deletedAt }) => {
  if (!isTime(createdAt)) return '"createdAt" must be a time in UTC with milliseconds';
  if (!isTime(updatedAt)) return '"updatedAt" must be a time in UTC with milliseconds';
  if (typeof isDeleted !== "boolean") return '"isDeleted" must be true or false';
  if (isDeleted ? isTime(deletedAt) : deletedAt === null) return null;
  return '"deletedAt" must be a time where "isDeleted" is true, and null where it is not';
};

/** Members that are not declared are stored as they are: their names and texts must be such as can be. */
const memberFault: Fault = (record) => {
  const members = Object.entries(record).filter(([name]) => !isServerField(name));
  const [fault] = validateMembers([], Object.fromEntries(members), false).faults;
  return fault === undefined ? null : `"${fault.path}" ${fault.message}`;
};

function fieldFault(rules: ReturnType<typeof rulesAlone>, record: StoredRecord): string | null {
  const violation = violationOf(rules, record as StoredDocument); // Its own members were looked at.
  return violation && whyOf(violation);
}

function sizeFault({ records }: Collection, record: StoredRecord): string | null {
  try {
    fittingText(records, record);
    return null;
  } catch (error) {
    if (error instanceof TypeConflict) return `"${error.path}" ${error.why}`;
    if (error instanceof RecordTooLarge) return "it is too large for a document";
    if (error instanceof TooManyMembers) return "it has too many members for a document";
    throw error;
  }
}
