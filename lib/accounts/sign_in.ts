import type { Device } from "../auth/sessions.ts";
import { timestamp } from "../clock.ts";
import { canonicalEmail } from "../emails.ts";
import { findByEmail } from "../store/email_records.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { and, eq, not } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { openAccountSession } from "./account_sessions.ts";
import type { KnownDevices } from "./known_devices.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import type { Passwords } from "../credentials/passwords.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { type TryServices, trySignIn } from "../credentials/sign_in_attempts.ts";

export interface Visitor {
  readonly device: Device;
  readonly network: string;
  readonly cookies: string | null;
}

interface SignInServices extends TryServices {
  readonly newId: NewId;
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
  readonly knownDevices: KnownDevices;
}

export interface OpenedSession {
  readonly account: AccountRecord;
  readonly token: string;
  /** The id of the device, which is known from now on. */
  readonly deviceId: Id;
}

/**
 * Responds to an unknown e-mail as to a wrong password, also in time. Throws `CREDENTIALS_INVALID`,
 * `SIGN_IN_LOCKED` after too many attempts, and `PASSWORDS_BUSY`.
 */
export async function signInAccount(
  services: SignInServices,
  credentials: { email: string; password: string },
  visitor: Visitor,
): Promise<OpenedSession> {
  const { network } = visitor;
  return await services.passwordQueue.run(network, () => signIn(services, credentials, visitor));
}

async function signIn(
  services: SignInServices,
  { email, password }: { email: string; password: string },
  { device, network, cookies }: Visitor,
): Promise<OpenedSession> {
  const { engine, clock, newId, passwords, knownDevices } = services;
  const found = await findByEmail(engine.records<AccountRecord>("control", ACCOUNTS), email);
  const knownDevice = found === null ? null : knownDevices.read(cookies, found._id);
  const place = { account: canonicalEmail(email), network, device: knownDevice };
  const opened = await trySignIn(services, place, async () => {
    const isRight = await passwords.verify(found?.passwordHash ?? null, password);
    if (found === null || !isRight) return null;
    return await engine.transaction("control", async (tx) => {
      // A concurrent change of the password ends all sessions, so this one must not come after it.
      const { _id: accountId, passwordHash } = found;
      const account = await tx.records<AccountRecord>(ACCOUNTS).updateOne(
        and(eq("_id", accountId), eq("passwordHash", passwordHash), not(eq("demo", "closed"))),
        { set: { lastSignInAt: timestamp(clock) } },
      );
      if (account === null) return null;
      const token = await openAccountSession(tx, services, { accountId, device });
      return { account: account.value, token, deviceId: knownDevice ?? newId() };
    });
  });
  if (opened === null) throw new Problem("CREDENTIALS_INVALID");
  return opened;
}
