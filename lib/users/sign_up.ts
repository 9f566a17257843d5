import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
import { checkNewPassword } from "../credentials/passwords.ts";
import { enqueueCodeRequest } from "../mail/code_mails.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import { admitMail } from "../mail/admission.ts";
import { enqueueMail, findMailContext, type MailContext } from "../mail/outbox.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import { withinQuota } from "../documents/quota.ts";
import type { ByteQuota, Id, Json, Records, Transaction } from "../store/port.ts";
import { timestamp } from "../clock.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import { findUserByEmail, newUser, type UserRecord, USERS } from "../auth/users.ts";
import { SEND_CODE } from "./send_code.ts";
import type { UserServices, Visitor } from "./services.ts";
import { storedOrRefused } from "./stored_or_refused.ts";
import { fieldsOfNewUser, type Members, type UserField } from "./user_fields.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

/** What somebody signs up with. */
export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  /** Those that the project has declared. */
  readonly fields: Members;
}

/**
 * Makes a user with an e-mail and a password, or makes the anonymous user who asks one, and signs
 * them in. Resolves to null where the e-mail must be verified first: then the answer is the same
 * whoever has the address, and only its mailbox is told.
 *
 * Throws `SIGN_UP_CLOSED`, `SIGN_IN_METHOD_OFF`, `DOCUMENT_QUOTA_EXCEEDED`, `INVALID_BODY`, `INVALID_PASSWORD`,
 * `PASSWORDS_BUSY`, `USERNAME_TAKEN`, `EMAIL_TAKEN`, and `MAIL_NOT_CONFIGURED` where mails must be
 * sent.
 */
export async function signUp(
  services: UserServices,
  asking: Asking,
  input: SignUpInput,
  visitor: Visitor,
): Promise<UserSession | null> {
  const { holder: { projectId, auth } } = asking;
  const { email, password } = input;
  const { engine, jobRunner } = services;
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  const declared = await services.userFields.of(projectId);
  const user = newUser(services, {
    email,
    name: input.name ?? null,
    username: input.username ?? null,
    avatarUrl: input.avatarUrl ?? null,
    ownMembers: OWN.filter((member) => input[member] !== undefined),
  });
  const wanted = { asking, user };
  // Looked at before anything is counted as sent, and again where it holds.
  const { guest, holder } = await admit(engine.records(projectId, USERS), wanted);
  fieldsOf(declared, guest, input.fields);
  await checkNewPassword(password, email, auth.passwordLengthMin);
  const mustVerify = auth.requireVerifiedEmail;
  const kinds = ["verify", "accountExists"] as const;
  const context = await findMailContext(services, projectId, { kinds, language: visitor.language });
  if (context === null && mustVerify) throw new Problem("MAIL_NOT_CONFIGURED");
  const passwordHash = await services.passwordQueue
    .run(visitor.network, () => services.passwords.hash(password));
  // Whoever comes by the address only now has a code sent to it, and needs no other mail.
  const notice = { projectId, purpose: "verify", to: email } as const;
  const admitted = context === null || holder === null
    ? null
    : await admitMail(services, context, notice);
  if (context !== null) await jobRunner.announce(projectId);
  const result = await storedOrRefused(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        const { guest, holder } = await admit(tx.records(USERS), wanted);
        if (holder !== null) {
          const job = admitted && await tellHolder(tx, services, admitted, holder);
          return { job, opened: null };
        }
        const fields = fieldsOf(declared, guest, input.fields);
        const made = { ...user, passwordHash, fields };
        const userId = await (guest === null
          ? inserted(tx, services, { user: made, quota })
          : upgraded(tx, services, { guest, made, quota }));
        const code = { purpose: "verify", email, language: visitor.language } as const;
        const job = context === null
          ? null
          : await enqueueCodeRequest(tx, services, code, SEND_CODE.name);
        const opened = mustVerify
          ? null
          : await openUserSession(tx, services, { userId, device: visitor.device });
        return { job, opened };
      }),
  );
  if (result.job !== null) jobRunner.begin(projectId, result.job);
  if (result.opened === null) return null;
  return await withAccessToken(services, projectId, result.opened);
}

const OWN = ["name", "username", "avatarUrl"] as const;

/** Whose key it is, and the bearer, if there is one. */
interface Asking {
  readonly holder: ApiKeyPrincipal;
  readonly userId: Id | null;
}

interface Admitted {
  /** The anonymous user who asks; null for anybody else. */
  readonly guest: UserRecord | null;
  /** Who has the e-mail already: only where nobody else may be told. */
  readonly holder: UserRecord | null;
}

/** Throws `SIGN_UP_CLOSED`, `USERNAME_TAKEN` and `EMAIL_TAKEN`. */
async function admit(
  users: Records<UserRecord>,
  { asking: { holder: { auth }, userId }, user }: {
    readonly asking: Asking;
    readonly user: UserRecord;
  },
): Promise<Admitted> {
  const guest = userId === null
    ? null
    : (await users.findOne(and(eq("_id", userId), eq("isAnonymous", true), eq("disabled", false))))
      ?.value ?? null;
  if (guest === null && auth.signUp === "closed") throw new Problem("SIGN_UP_CLOSED");
  // Before it is known who has the e-mail: a refusal must not tell.
  const { usernameLower = null } = user;
  const named = usernameLower === null
    ? null
    : await users.findOne(eq("usernameLower", usernameLower));
  if (named !== null && named.value._id !== guest?._id) throw new Problem("USERNAME_TAKEN");
  const holder = await findUserByEmail(users, user.email!);
  if (holder !== null && !auth.requireVerifiedEmail) throw new Problem("EMAIL_TAKEN");
  return { guest, holder };
}

/** The declared fields; an anonymous user keeps those that are not given anew. */
function fieldsOf(
  declared: readonly UserField[],
  guest: UserRecord | null,
  given: Members,
): { [name: string]: Json } {
  const before = guest?.fields ?? {};
  const known = declared.map(({ key }) => key).filter((key) => Object.hasOwn(before, key));
  const kept = Object.fromEntries(known.map((key) => [key, before[key]!]));
  return { ...before, ...fieldsOfNewUser(declared, { ...kept, ...given }) };
}

/** The anonymous user keeps their id, and so their documents. */
async function upgraded(
  tx: Transaction,
  services: UserServices,
  { guest, made, quota }: {
    readonly guest: UserRecord;
    readonly made: UserRecord;
    readonly quota: ByteQuota | undefined;
  },
): Promise<Id> {
  const { email, emailLower, passwordHash, fields, ...user } = made;
  const { ownMembers } = user;
  const own = Object.fromEntries(ownMembers.map((member) => [member, user[member]]));
  const upgraded = await tx.records<UserRecord>(USERS, { quota }).updateOne(eq("_id", guest._id), {
    set: {
      email,
      emailLower,
      emailVerified: false,
      passwordHash,
      fields: fields!,
      ...own,
      ...(ownMembers.includes("username") && { usernameLower: user.usernameLower! }),
      ownMembers: [...new Set([...guest.ownMembers, ...ownMembers])],
      isAnonymous: false,
      updatedAt: timestamp(services.clock),
    },
  });
  const after = upgraded!.value; // Read in the same transaction.
  await noteUserEvent(tx, services.clock, { event: "changed", before: guest, after });
  return guest._id;
}

async function inserted(
  tx: Transaction,
  services: UserServices,
  { user, quota }: { readonly user: UserRecord; readonly quota: ByteQuota | undefined },
): Promise<Id> {
  await tx.records<UserRecord>(USERS, { quota }).insert(user);
  await noteUserEvent(tx, services.clock, { event: "created", before: null, after: user });
  return user._id;
}

/** Whoever has the address is told, and nobody else. */
const tellHolder = async (
  tx: Transaction,
  services: UserServices,
  context: MailContext,
  { email }: UserRecord,
): Promise<JobRecord | null> =>
  await enqueueMail(tx, services, context, {
    kind: "accountExists",
    to: email!,
    variables: { email: email! },
  });

/**
 * Makes a user who tells nothing of themselves, and signs them in. Signing up as them later keeps
 * their id. Throws `SIGN_IN_METHOD_OFF`, `SIGN_UP_CLOSED` and `DOCUMENT_QUOTA_EXCEEDED`.
 */
export async function signInAnonymously(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  { device }: Pick<Visitor, "device">,
): Promise<UserSession> {
  if (!auth.anonymous) throw new Problem("SIGN_IN_METHOD_OFF");
  if (auth.signUp === "closed") throw new Problem("SIGN_UP_CLOSED");
  const fields = fieldsOfNewUser(await services.userFields.of(projectId), {}, true);
  const user = newUser(services, { isAnonymous: true, fields });
  const opened = await withinQuota(
    services,
    projectId,
    (quota) =>
      services.engine.transaction(projectId, async (tx) => {
        const userId = await inserted(tx, services, { user, quota });
        return await openUserSession(tx, services, { userId, device });
      }),
  );
  return await withAccessToken(services, projectId, opened);
}
