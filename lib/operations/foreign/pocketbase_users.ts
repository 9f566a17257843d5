import type { IdentityRecord } from "../../auth/identities.ts";
import type { LinkedProvider, UserRecord } from "../../auth/users.ts";
import { canonicalEmail } from "../../emails.ts";
import { PROVIDER_NAMES } from "../../social/providers.ts";
import type { Json } from "../../store/port.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import { identityId, identityRecord, userRecord } from "./foreign_users.ts";
import type { Notes } from "./notes.ts";
import { timeOf } from "./pocketbase_files.ts";
import { isOfUsers } from "./pocketbase_fields.ts";
import type { UsersPlan } from "./pocketbase_plan.ts";
import { fieldsOf, type RecordContext, rowsOf, timesOf } from "./pocketbase_records.ts";
import { pocketbaseId, type PocketbaseSource } from "./pocketbase_source.ts";
import type { Row } from "./scratch.ts";

/** SQL that says whether no other user has it before: the oldest keeps what all would have. */
const isFirst = (key: string, order: string): string =>
  `row_number() OVER (PARTITION BY ${key} ORDER BY ${order}"id") = 1`;

/** The records of the auth collection that becomes the users. */
export function* usersOf(
  source: PocketbaseSource,
  plan: UsersPlan,
  context: RecordContext,
): Generator<UserRecord> {
  const { notes } = context;
  const { db } = source;
  db.define("corbel_email", (email) => canonicalEmail(String(email ?? "")));
  const hasUsername = plan.source.fields.some((field) =>
    field.name === "username" && isOfUsers(field)
  );
  const columns = [
    `${isFirst('corbel_email("email")', '"verified" DESC, ')} AS "is its email"`,
    ...(hasUsername ? [`${isFirst('lower("username")', "")} AS "is its username"`] : []),
  ];
  const linked = db.prepared(
    `SELECT provider, providerId, created FROM _externalAuths
     WHERE collectionRef = ? AND recordRef = ? ORDER BY provider`,
  );
  for (const row of rowsOf(source, plan.source, columns)) {
    const providers = linked(plan.source.id, String(row.id)).flatMap((one) =>
      linkOf(one, context.at)
    );
    yield userRecord({
      _id: String(row._id),
      ...own(row, notes),
      emailVerified: row.verified === 1,
      name: nameOf(plan, row),
      avatarUrl: null,
      disabled: false,
      passwordHash: String(row.password) || null,
      providers,
      claims: {},
      fields: sourceFields(row, plan, context),
      lastSignInAt: null,
      ...timesOf(row, plan, context.at),
    }, notes);
  }
}

/** Of several who would be one here, the others go without it. */
function own(row: Row, notes: Notes): { email: string | null; username: string | null } {
  const one = (member: "email" | "username"): string | null => {
    const value = row[member];
    if (typeof value !== "string" || value === "") return null;
    if (row[`is its ${member}`] === 1) return value;
    if (`is its ${member}` in row) {
      notes.count(`users: ${member}s left out, because another user has the same one`);
    }
    return null;
  };
  return { email: one("email"), username: one("username") };
}

function nameOf({ source }: UsersPlan, row: Row): string | null {
  const isOwn = source.fields.some((field) => field.name === "name" && isOfUsers(field));
  return isOwn ? String(row.name) || null : null;
}

function sourceFields(row: Row, plan: UsersPlan, context: RecordContext): { [name: string]: Json } {
  const fields = Object.entries(fieldsOf(row, plan, context, true));
  return Object.fromEntries([
    [SOURCE_ID, String(row.id)],
    ...fields.filter(([, value]) => value !== null),
  ]);
}

function linkOf({ provider, providerId, created }: Row, at: string): LinkedProvider[] {
  if (!PROVIDER_NAMES.includes(String(provider))) return [];
  return [{
    provider: String(provider),
    providerUserId: String(providerId),
    linkedAt: timeOf(created!) ?? at,
  }];
}

/** How those who sign in by a provider are found. What other providers know is told. */
export function* identitiesOf(
  { db }: PocketbaseSource,
  { source }: UsersPlan,
  { notes }: RecordContext,
): Generator<IdentityRecord> {
  db.define(
    "corbel_identity",
    (provider, id) => identityId(String(provider), String(id)),
  );
  const rows = db.rows(
    `SELECT provider, providerId, recordRef FROM _externalAuths WHERE collectionRef = ?
     ORDER BY corbel_identity(provider, providerId)`,
    source.id,
  );
  for (const { provider, providerId, recordRef } of rows) {
    const name = String(provider);
    if (!PROVIDER_NAMES.includes(name)) {
      notes.count(`users: sign-ins by ${name} left out, which there is not here`);
      continue;
    }
    const link = { provider: name, providerUserId: String(providerId), linkedAt: "" };
    yield identityRecord(pocketbaseId(source.id, String(recordRef)), link, null);
  }
}
