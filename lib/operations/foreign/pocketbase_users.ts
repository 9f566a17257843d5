import type { IdentityRecord } from "../../auth/identities.ts";
import type { LinkedProvider, UserRecord } from "../../auth/users.ts";
import { canonicalEmail } from "../../emails.ts";
import { PROVIDER_NAMES } from "../../social/providers.ts";
import type { Json } from "../../store/port.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import { identityId, toIdentityRecord, toUserRecord } from "./foreign_users.ts";
import type { Notes } from "./notes.ts";
import { parseTime } from "./pocketbase_files.ts";
import { isBuiltInUserField } from "./pocketbase_fields.ts";
import type { UsersPlan } from "./pocketbase_plan.ts";
import { fieldsOf, readRows, type RecordContext, timesOf } from "./pocketbase_records.ts";
import { pocketbaseId, type PocketbaseSource } from "./pocketbase_source.ts";
import type { Row } from "./scratch.ts";

/** Returns SQL for whether a user is the first with a key, who keeps a value that several have. */
const isFirstWith = (key: string, order: string): string =>
  `row_number() OVER (PARTITION BY ${key} ORDER BY ${order}"id") = 1`;

export function* readUsers(
  source: PocketbaseSource,
  plan: UsersPlan,
  context: RecordContext,
): Generator<UserRecord> {
  const { notes } = context;
  const { db } = source;
  db.define("corbel_email", (email) => canonicalEmail(String(email ?? "")));
  const hasUsername = plan.source.fields.some((field) =>
    field.name === "username" && isBuiltInUserField(field)
  );
  const columns = [
    `${isFirstWith('corbel_email("email")', '"verified" DESC, ')} AS "is its email"`,
    ...(hasUsername ? [`${isFirstWith('lower("username")', "")} AS "is its username"`] : []),
  ];
  const linked = db.prepareAll(
    `SELECT provider, providerId, created FROM _externalAuths
     WHERE collectionRef = ? AND recordRef = ? ORDER BY provider`,
  );
  for (const row of readRows(source, plan.source, columns)) {
    const providers = linked(plan.source.id, String(row.id)).flatMap((one) =>
      linkOf(one, context.at)
    );
    yield toUserRecord({
      _id: String(row._id),
      ...uniqueMembers(row, notes),
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

/** Returns null for an e-mail or username that an earlier user has. */
function uniqueMembers(row: Row, notes: Notes): { email: string | null; username: string | null } {
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
  const isOwn = source.fields.some((field) => field.name === "name" && isBuiltInUserField(field));
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
    linkedAt: parseTime(created!) ?? at,
  }];
}

/** Notes unsupported providers. */
export function* readIdentities(
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
      notes.count(`users: sign-ins by ${name} left out, because it is not supported`);
      continue;
    }
    const link = { provider: name, providerUserId: String(providerId), linkedAt: "" };
    yield toIdentityRecord(pocketbaseId(source.id, String(recordRef)), link, null);
  }
}
