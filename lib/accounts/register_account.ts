import { type Clock, timestamp } from "../clock.ts";
import { textProblem } from "../text/input_text.ts";
import { canonicalEmail, isPlainEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { PERSON_NAME_LENGTH_MAX } from "../limits.ts";
import type { CodeMailServices } from "../mail/code_mails.ts";
import { Problem } from "../problems.ts";
import { refuseTakenForms } from "../store/email_records.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Transaction } from "../store/port.ts";
import { openAccountSession } from "./account_sessions.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import { type AccountRecord, ACCOUNTS, type PlanName } from "../projects/account_records.ts";
import {
  claimFirstAccount,
  findAdmission,
  type RegistrationServices,
  takeAdmission,
} from "./registration.ts";
import { canMailAccounts, enqueueAccountCode } from "./send_code.ts";
import type { OpenedSession, Visitor } from "./sign_in.ts";

export interface CreateServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly passwords: Passwords;
}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name: string | null;
  readonly plan: PlanName;
  /** Whether `dev` makes it, and prints its password. */
  readonly isDemo?: boolean;
}

/** What somebody registers with. */
export interface GivenAccount extends Omit<NewAccount, "plan" | "isDemo"> {
  /** The token of an invitation; it is looked at where registering takes one. */
  readonly invitation: string | null;
}

interface RegisterServices extends CreateServices, RegistrationServices, CodeMailServices {
  readonly passwordQueue: PasswordQueue;
  readonly config: RegistrationServices["config"] & CodeMailServices["config"];
}

/**
 * Adds an account and signs it in; where mail can be sent it gets a code to verify its e-mail. Throws
 * `REGISTRATION_CLOSED` and `REGISTRATION_INVITED`, `INVALID_BODY` for what is no e-mail or no name,
 * `INVALID_PASSWORD`, `ACCOUNT_EXISTS`, and `PASSWORDS_BUSY`.
 */
export async function registerAccount(
  services: RegisterServices,
  { invitation, ...given }: GivenAccount,
  { device, network }: Pick<Visitor, "device" | "network">,
): Promise<OpenedSession> {
  await findAdmission(services, invitation); // Whoever may not costs no hashing.
  const account = await services.passwordQueue
    .run(network, () => newAccount(services, { ...given, plan: "free" }));
  const { email } = account;
  const sends = await canMailAccounts(services);
  if (sends) await services.jobRunner.announce("control");
  const { opened, job } = await inserted(services, async (tx) => {
    await takeAdmission(tx, services, invitation);
    await insertAccount(tx, account);
    const job = sends ? await enqueueAccountCode(tx, services, { purpose: "verify", email }) : null;
    const token = await openAccountSession(tx, services, { accountId: account._id, device });
    return { opened: { account, token, deviceId: services.newId() }, job };
  });
  if (job !== null) services.jobRunner.begin("control", job);
  return opened;
}

/**
 * Adds an account, whoever may register, and no session. Throws `INVALID_BODY`, `INVALID_PASSWORD`
 * and `ACCOUNT_EXISTS`.
 */
export async function createAccount(
  services: CreateServices,
  given: NewAccount,
): Promise<AccountRecord> {
  const account = await newAccount(services, given);
  return await inserted(services, async (tx) => {
    await claimFirstAccount(tx, services);
    await insertAccount(tx, account);
    return account;
  });
}

/** Hashing comes before the transaction, which would keep others waiting. */
async function newAccount(
  { clock, newId, passwords }: CreateServices,
  { email: given, password, name, plan, isDemo = false }: NewAccount,
): Promise<AccountRecord> {
  const email = given.trim();
  if (!isPlainEmail(email)) throw refuse('"email" must be one plain address.');
  if (name !== null) checkName(name);
  await checkNewPassword(password, email);
  const now = timestamp(clock);
  return {
    _id: newId(),
    email,
    emailLower: canonicalEmail(email),
    name,
    emailVerified: false,
    passwordHash: await passwords.hash(password),
    plan,
    sealedAiKey: null,
    ...isDemo && { demo: "open" },
    lastSignInAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function insertAccount(tx: Transaction, account: AccountRecord): Promise<void> {
  const accounts = tx.records<AccountRecord>(ACCOUNTS);
  await refuseTakenForms(accounts, account.email, account._id);
  await accounts.insert(account);
}

async function inserted<T>(
  { engine }: CreateServices,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await engine.transaction("control", work);
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("ACCOUNT_EXISTS", { cause: error });
    throw error;
  }
}

const refuse = (message: string) => new Problem("INVALID_BODY", { message });

const CONTROL = /\p{Cc}/u;

/** Throws `INVALID_BODY` for what is no name of a person. */
export function checkName(name: string): void {
  if (name.trim() === "" || name.length > PERSON_NAME_LENGTH_MAX) {
    throw refuse(`"name" must have 1 to ${PERSON_NAME_LENGTH_MAX} characters.`);
  }
  const problem = textProblem(name) ??
    (CONTROL.test(name) ? "contains a control character" : null);
  if (problem !== null) throw refuse(`"name" ${problem}.`);
}
