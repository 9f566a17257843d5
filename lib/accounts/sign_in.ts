import type { Device } from "../auth/sessions.ts";
import { lowerEmail } from "../auth/users.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import { openAccountSession } from "./account_sessions.ts";
import type { Passwords } from "./passwords.ts";
import { type AccountRecord, ACCOUNTS } from "./records.ts";

/**
 * Signs an account in; resolves to it and the new session's secret. An unknown e-mail and a wrong
 * password are one answer and take one time. Throws `CREDENTIALS_INVALID`.
 */
export async function signInAccount(
  services: { engine: Engine; clock: Clock; newId: NewId; passwords: Passwords },
  { email, password }: { email: string; password: string },
  device: Device,
): Promise<{ account: AccountRecord; token: string }> {
  const { engine, clock, passwords } = services;
  const found = await engine.records<AccountRecord>("control", ACCOUNTS)
    .findOne(eq("emailLower", lowerEmail(email)));
  const isRight = await passwords.verify(found?.value.passwordHash ?? null, password);
  if (found === null || !isRight) throw new Problem("CREDENTIALS_INVALID");
  return await engine.transaction("control", async (tx) => {
    // Whoever changes the password in this moment ends every session: this one comes before, or not.
    const { _id: accountId, passwordHash } = found.value;
    const account = await tx.records<AccountRecord>(ACCOUNTS).updateOne(
      and(eq("_id", accountId), eq("passwordHash", passwordHash)),
      { set: { lastSignInAt: timestamp(clock) } },
    );
    if (account === null) throw new Problem("CREDENTIALS_INVALID");
    const token = await openAccountSession(tx, services, { accountId, device });
    return { account: account.value, token };
  });
}
