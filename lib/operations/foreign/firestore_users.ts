import type { IdentityRecord } from "../../auth/identities.ts";
import type { LinkedProvider, UserRecord } from "../../auth/users.ts";
import { isBcrypt } from "../../credentials/passwords.ts";
import { decodeBase64 } from "../../crypto/base64.ts";
import { USER_CLAIMS_BYTES_MAX } from "../../limits.ts";
import { exceedsBytes, parseJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { FirebaseUser, type FirestoreSource } from "./firestore_source.ts";
import { toStorableValue } from "./storable_values.ts";
import { type GivenField, SOURCE_ID } from "./foreign_project.ts";
import { identityId, toIdentityRecord, toUserRecord } from "./foreign_users.ts";
import type { Notes } from "./notes.ts";

const PHONE = "phoneNumber";

export const FIREBASE_USER_FIELDS: readonly GivenField[] = [
  { key: SOURCE_ID, type: "String" },
  { key: PHONE, type: "String" },
];

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["google.com", "google"],
  ["github.com", "github"],
]);
/** Sign-in methods that other members of a user describe. */
const OTHER_SIGN_INS = ["password", "phone"];

interface UserContext {
  readonly at: string;
  readonly notes: Notes;
}

export function* firebaseUsers(
  { db }: FirestoreSource,
  { at, notes }: UserContext,
): Generator<UserRecord> {
  // If several users have an e-mail, a user with a verified one keeps it.
  const rows = db.rows(
    `SELECT _id, line, email IS NULL OR
       row_number() OVER (PARTITION BY email ORDER BY verified DESC, _id) = 1 AS "is its email"
     FROM users ORDER BY _id`,
  );
  for (const row of rows) {
    const user = parseUser(String(row.line));
    const isItsEmail = row["is its email"] === 1;
    if (!isItsEmail) notes.count("users: emails left out, because another user has the same one");
    noteLeftOut(user, notes);
    const createdAt = user.createdAt ?? at;
    yield toUserRecord({
      _id: String(row._id),
      email: isItsEmail ? user.email : null,
      emailVerified: user.emailVerified,
      name: user.displayName,
      username: null,
      avatarUrl: user.photoUrl,
      disabled: user.disabled,
      passwordHash: hashOf(user),
      providers: linksOf(user, createdAt),
      claims: claimsOf(user, notes),
      fields: fieldsOf(user, notes),
      lastSignInAt: user.lastSignedInAt,
      createdAt,
      updatedAt: user.lastSignedInAt ?? createdAt,
    }, notes);
  }
}

const parseUser = (line: string): FirebaseUser => FirebaseUser.parse(parseJson(line));

export function* firebaseIdentities(
  { db }: FirestoreSource,
  { notes }: Pick<UserContext, "notes">,
): Generator<IdentityRecord> {
  db.exec("CREATE TEMP TABLE identities (_id TEXT PRIMARY KEY, line TEXT) WITHOUT ROWID");
  const insert = db.prepareRun("INSERT OR IGNORE INTO identities VALUES (?, ?)");
  for (const row of db.rows("SELECT _id, line FROM users ORDER BY _id")) {
    const user = parseUser(String(row.line));
    for (const link of linksOf(user, "")) {
      const { email } = user.providerUserInfo.find(({ rawId }) => rawId === link.providerUserId)!;
      const record = toIdentityRecord(String(row._id), link, email);
      if (insert(identityId(link.provider, link.providerUserId), JSON.stringify(record)) === 0) {
        notes.count("users: sign-ins left out, because another user has the same one");
      }
    }
  }
  for (const { line } of db.rows("SELECT line FROM identities ORDER BY _id")) {
    yield parseJson(String(line)) as IdentityRecord; // The statement above wrote it.
  }
}

const linksOf = ({ providerUserInfo }: FirebaseUser, linkedAt: string): LinkedProvider[] =>
  providerUserInfo.flatMap(({ providerId, rawId }) => {
    const provider = PROVIDERS.get(providerId);
    return provider === undefined || rawId === null
      ? []
      : [{ provider, providerUserId: rawId, linkedAt }];
  });

function noteLeftOut({ providerUserInfo, mfaInfo }: FirebaseUser, notes: Notes): void {
  for (const { providerId } of providerUserInfo) {
    if (PROVIDERS.has(providerId) || OTHER_SIGN_INS.includes(providerId)) continue;
    notes.count(`users: sign-ins by ${providerId} left out, because it is not supported`);
  }
  if (mfaInfo?.length) notes.count("users: second factors left out");
}

/** Bcrypt hashes may be in base64. Firebase's own hashes need its keys. */
function hashOf({ passwordHash: hash }: FirebaseUser): string | null {
  if (!hash) return null;
  const text = new TextDecoder().decode(decodeOrEmpty(hash));
  return isBcrypt(text) ? text : hash;
}

function decodeOrEmpty(base64: string): Uint8Array {
  try {
    return decodeBase64(base64);
  } catch {
    return new Uint8Array();
  }
}

function claimsOf({ customAttributes }: FirebaseUser, notes: Notes): { [name: string]: Json } {
  if (customAttributes === null || customAttributes === "") return {};
  let claims: Json = null;
  try {
    claims = toStorableValue(null, parseJson(customAttributes), { where: "users.claims", notes });
  } catch {
    // A note is added below.
  }
  if (isObject(claims) && !exceedsBytes(JSON.stringify(claims), USER_CLAIMS_BYTES_MAX)) {
    return claims;
  }
  notes.count("users: claims left out, because they are not an object or are too large");
  return {};
}

function fieldsOf({ localId, phoneNumber }: FirebaseUser, notes: Notes): { [name: string]: Json } {
  const phone = toStorableValue({ type: "String" }, phoneNumber, {
    where: "users.phoneNumber",
    notes,
  });
  return { [SOURCE_ID]: localId, ...(phone !== null && { [PHONE]: phone }) };
}
