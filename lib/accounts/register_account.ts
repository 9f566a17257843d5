import { type Clock, timestamp } from "../clock.ts";
import { textProblem } from "../text/input_text.ts";
import { canonicalEmail, isPlainEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { PERSON_NAME_LENGTH_MAX } from "../limits.ts";
import type { CodeMailServices } from "../mail/code_mails.ts";
import { Problem } from "../problems.ts";
import { rejectTakenForms } from "../store/email_records.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Transaction } from "../store/port.ts";
import { openAccountSession } from "./account_sessions.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import { checkNewPassword, type Passwords } from "../credentials/passwords.ts";
import { type AccountRecord, ACCOUNTS, type PlanName } from "../projects/account_records.ts";
import {
  claimFirstAccount,
  consumeAdmission,
  findAdmission,
  type RegistrationServices,
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
  /** Whether `dev` creates the account and prints its password. */
  readonly isDemo?: boolean;
}

export interface GivenAccount extends Omit<NewAccount, "plan" | "isDemo"> {
  /** The token of an invitation, which is checked only if an invitation is required. */
  readonly invitation: string | null;
}

interface RegisterServices extends CreateServices, RegistrationServices, CodeMailServices {
  readonly passwordQueue: PasswordQueue;
  readonly config: RegistrationServices["config"] & CodeMailServices["config"];
}

/**
 * Registers an account, signs it in and sends a code if possible. Throws `REGISTRATION_CLOSED`,
 * `REGISTRATION_INVITED`, `INVALID_BODY`, `INVALID_PASSWORD`, `ACCOUNT_EXISTS` and
 * `PASSWORDS_BUSY`.
 */
export async function registerAccount(
  services: RegisterServices,
  { invitation, ...given }: GivenAccount,
  { device, network }: Pick<Visitor, "device" | "network">,
): Promise<OpenedSession> {
  await findAdmission(services, invitation); // Refuses before the expensive hashing.
  const account = await services.passwordQueue
    .run(network, () => prepareAccount(services, { ...given, plan: "free" }));
  const { email } = account;
  const sends = await canMailAccounts(services);
  if (sends) await services.jobRunner.announce("control");
  const { opened, job } = await insertOnce(services, async (tx) => {
    await consumeAdmission(tx, services, invitation);
    await insertAccount(tx, account);
    const job = sends ? await enqueueAccountCode(tx, services, { purpose: "verify", email }) : null;
    const token = await openAccountSession(tx, services, { accountId: account._id, device });
    return { opened: { account, token, deviceId: services.newId() }, job };
  });
  if (job !== null) services.jobRunner.begin("control", job);
  return opened;
}

/** Ignores closed registration. Throws `INVALID_BODY`, `INVALID_PASSWORD`, `ACCOUNT_EXISTS`. */
export async function createAccount(
  services: CreateServices,
  given: NewAccount,
): Promise<AccountRecord> {
  const account = await prepareAccount(services, given);
  return await insertOnce(services, async (tx) => {
    await claimFirstAccount(tx, services);
    await insertAccount(tx, account);
    return account;
  });
}

/** Validates the input and hashes the password, before the transaction, which must be short. */
async function prepareAccount(
  { clock, newId, passwords }: CreateServices,
  { email: given, password, name, plan, isDemo = false }: NewAccount,
): Promise<AccountRecord> {
  const email = given.trim();
  if (!isPlainEmail(email)) throw invalidBody('"email" must be one plain address.');
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
  await rejectTakenForms(accounts, account.email, account._id);
  await accounts.insert(account);
}

async function insertOnce<T>(
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

const invalidBody = (message: string) => new Problem("INVALID_BODY", { message });

const CONTROL = /\p{Cc}/u;

/** Throws `INVALID_BODY` if `name` cannot be the name of a person. */
export function checkName(name: string): void {
  if (name.trim() === "" || name.length > PERSON_NAME_LENGTH_MAX) {
    throw invalidBody(`"name" must have 1 to ${PERSON_NAME_LENGTH_MAX} characters.`);
  }
  const problem = textProblem(name) ??
    (CONTROL.test(name) ? "contains a control character" : null);
  if (problem !== null) throw invalidBody(`"name" ${problem}.`);
}
