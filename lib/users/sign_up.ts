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
import { recordUserEvent } from "../auth/user_events.ts";
import { createUserRecord, findUserByEmail, type UserRecord, USERS } from "../auth/users.ts";
import { SEND_CODE } from "./send_code.ts";
import type { UserServices, Visitor } from "./services.ts";
import { runUserWrite } from "./run_user_write.ts";
import { type Members, toNewUserFields, type UserField } from "./user_fields.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  readonly fields: Members;
}

/**
 * Creates a user, or upgrades the calling anonymous one, and signs them in. Returns null if the
 * e-mail must be verified first; the response then hides whether it is taken, and only its mailbox
 * is notified. Throws `SIGN_UP_CLOSED`, `SIGN_IN_METHOD_OFF`, `DOCUMENT_QUOTA_EXCEEDED`,
 * `INVALID_BODY`, `INVALID_PASSWORD`, `PASSWORDS_BUSY`, `USERNAME_TAKEN`, `EMAIL_TAKEN`, and
 * `MAIL_NOT_CONFIGURED` if the e-mail must be verified.
 */
export async function signUp(
  services: UserServices,
  caller: SignUpCaller,
  input: SignUpInput,
  visitor: Visitor,
): Promise<UserSession | null> {
  const { holder: { projectId, auth } } = caller;
  const { email, password } = input;
  const { engine, jobRunner } = services;
  if (!auth.password) throw new Problem("SIGN_IN_METHOD_OFF");
  const declared = await services.userFields.ofProject(projectId);
  const user = createUserRecord(services, {
    email,
    name: input.name ?? null,
    username: input.username ?? null,
    avatarUrl: input.avatarUrl ?? null,
    ownMembers: OWN_MEMBERS.filter((member) => input[member] !== undefined),
  });
  const request = { caller, user };
  // Refuses before a mail is counted. The check is repeated in the transaction.
  const { guest, holder } = await checkAdmission(engine.records(projectId, USERS), request);
  fieldsOf(declared, guest, input.fields);
  await checkNewPassword(password, email, auth.passwordLengthMin);
  const mustVerify = auth.requireVerifiedEmail;
  const kinds = ["verify", "accountExists"] as const;
  const context = await findMailContext(services, projectId, { kinds, language: visitor.language });
  if (context === null && mustVerify) throw new Problem("MAIL_NOT_CONFIGURED");
  const passwordHash = await services.passwordQueue
    .run(visitor.network, () => services.passwords.hash(password));
  // A user who takes the address after this check gets a code and needs no other mail.
  const notice = { projectId, purpose: "verify", to: email } as const;
  const admitted = context === null || holder === null
    ? null
    : await admitMail(services, context, notice);
  if (context !== null) await jobRunner.announce(projectId);
  const result = await runUserWrite(
    services,
    projectId,
    (quota) =>
      engine.transaction(projectId, async (tx) => {
        const { guest, holder } = await checkAdmission(tx.records(USERS), request);
        if (holder !== null) {
          const job = admitted && await notifyHolder(tx, services, admitted, holder);
          return { job, opened: null };
        }
        const fields = fieldsOf(declared, guest, input.fields);
        const newUser = { ...user, passwordHash, fields };
        const userId = await (guest === null
          ? insertUser(tx, services, { user: newUser, quota })
          : upgradeGuest(tx, services, { guest, newUser, quota }));
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

const OWN_MEMBERS = ["name", "username", "avatarUrl"] as const;

/** The project's key, and the user of the bearer token; null without one. */
interface SignUpCaller {
  readonly holder: ApiKeyPrincipal;
  readonly userId: Id | null;
}

interface SignUpParties {
  /** The calling anonymous user; null for other callers. */
  readonly guest: UserRecord | null;
  /** The user who has the e-mail already, if the response must not reveal them. */
  readonly holder: UserRecord | null;
}

/** Throws `SIGN_UP_CLOSED`, `USERNAME_TAKEN` or `EMAIL_TAKEN` if the sign-up is not allowed. */
async function checkAdmission(
  users: Records<UserRecord>,
  { caller: { holder: { auth }, userId }, user }: {
    readonly caller: SignUpCaller;
    readonly user: UserRecord;
  },
): Promise<SignUpParties> {
  const guest = userId === null
    ? null
    : (await users.findOne(and(eq("_id", userId), eq("isAnonymous", true), eq("disabled", false))))
      ?.value ?? null;
  if (guest === null && auth.signUp === "closed") throw new Problem("SIGN_UP_CLOSED");
  // Checked before the e-mail, so that this refusal does not reveal whether the e-mail is taken.
  const { usernameLower = null } = user;
  const named = usernameLower === null
    ? null
    : await users.findOne(eq("usernameLower", usernameLower));
  if (named !== null && named.value._id !== guest?._id) throw new Problem("USERNAME_TAKEN");
  const holder = await findUserByEmail(users, user.email!);
  if (holder !== null && !auth.requireVerifiedEmail) throw new Problem("EMAIL_TAKEN");
  return { guest, holder };
}

/** Returns the fields of the new user. An anonymous user keeps fields that are not given. */
function fieldsOf(
  declared: readonly UserField[],
  guest: UserRecord | null,
  given: Members,
): { [name: string]: Json } {
  const before = guest?.fields ?? {};
  const declaredKeys = declared.map(({ key }) => key).filter((key) => Object.hasOwn(before, key));
  const previous = Object.fromEntries(declaredKeys.map((key) => [key, before[key]!]));
  return { ...before, ...toNewUserFields(declared, { ...previous, ...given }) };
}

/** Upgrades an anonymous user, who keeps their id and therefore their documents. */
async function upgradeGuest(
  tx: Transaction,
  services: UserServices,
  { guest, newUser, quota }: {
    readonly guest: UserRecord;
    readonly newUser: UserRecord;
    readonly quota: ByteQuota | undefined;
  },
): Promise<Id> {
  const { email, emailLower, passwordHash, fields, ...user } = newUser;
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
  const after = upgraded!.value; // The same transaction has read it.
  await recordUserEvent(tx, services.clock, { event: "changed", before: guest, after });
  return guest._id;
}

async function insertUser(
  tx: Transaction,
  services: UserServices,
  { user, quota }: { readonly user: UserRecord; readonly quota: ByteQuota | undefined },
): Promise<Id> {
  await tx.records<UserRecord>(USERS, { quota }).insert(user);
  await recordUserEvent(tx, services.clock, { event: "created", before: null, after: user });
  return user._id;
}

const notifyHolder = async (
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

/** Throws `SIGN_IN_METHOD_OFF`, `SIGN_UP_CLOSED` and `DOCUMENT_QUOTA_EXCEEDED`. */
export async function signInAnonymously(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  { device }: Pick<Visitor, "device">,
): Promise<UserSession> {
  if (!auth.anonymous) throw new Problem("SIGN_IN_METHOD_OFF");
  if (auth.signUp === "closed") throw new Problem("SIGN_UP_CLOSED");
  const fields = toNewUserFields(await services.userFields.ofProject(projectId), {}, true);
  const user = createUserRecord(services, { isAnonymous: true, fields });
  const opened = await withinQuota(
    services,
    projectId,
    (quota) =>
      services.engine.transaction(projectId, async (tx) => {
        const userId = await insertUser(tx, services, { user, quota });
        return await openUserSession(tx, services, { userId, device });
      }),
  );
  return await withAccessToken(services, projectId, opened);
}
