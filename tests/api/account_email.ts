import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { CODES, SENDINGS } from "@/lib/credentials/codes.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { MAILS } from "@/lib/mail/mails.ts";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import type { Definition } from "@/lib/store/port.ts";
import { countIn } from "../support/counted.ts";
import type { Call } from "../support/conforming_client.ts";
import type { TestAccount } from "../support/dashboard.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import type { TestApp } from "../support/test_app.ts";
import { assertUnchanged as unchanged } from "../support/assert_unchanged.ts";
import { ok } from "./test_collection.ts";

export const ADA = "ada@example.com";

/** A valid password that differs from the account's. */
export const NEXT_PASSWORD = "eight dry leaves 52";

export const MINUTE_MS = 60_000;

/** The environment of a server that can neither send nor store mail. */
export const NO_MAIL = { MAIL_URL: "" };

export const authCall = (operation: string, body: unknown): Call => ({
  path: `/api/auth/${operation}`,
  body,
});

/** Advances the clock past the pause between codes, requests a code and reads it from the mail. */
export async function requestCode(
  app: TestApp,
  operation: "resend-verification" | "request-password-reset",
  email: string,
): Promise<string> {
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await app.send(authCall(operation, { email })));
  return await codeTo(app.services, "control", email);
}

export const signUpCode = ({ services }: TestApp, { email }: TestAccount): Promise<string> =>
  codeTo(services, "control", email);

export const wrongCode = (code: string): string => code === "000000" ? "000001" : "000000";

export const storedAccount = async (
  { services }: TestApp,
  { accountId }: TestAccount,
): Promise<AccountRecord> =>
  (await services.engine.records<AccountRecord>("control", ACCOUNTS).get(accountId))!.value;

export const countOf = ({ services }: TestApp, definition: Definition): Promise<number> =>
  countIn(services, "control", definition);

/** Returns kinds and recipients of mails to accounts, the oldest first. */
export const sentMails = async ({ services }: TestApp): Promise<[kind: string, to: string][]> =>
  (await mailsOf(services, "control")).map(({ kind, to }) => [kind, to]);

const TRACES: readonly Definition[] = [
  ACCOUNTS,
  ACCOUNT_SESSIONS,
  INVITATIONS,
  CODES,
  SENDINGS,
  MAILS,
  JOBS,
];

/**
 * Fails if `work` changes accounts, sessions, invitations, codes, mails or jobs.
 * @param but Kinds of records that may change, such as counted attempts.
 */
export async function assertTraceless(
  app: TestApp,
  work: () => Promise<void>,
  but: readonly Definition[] = [],
): Promise<void> {
  const kinds = TRACES.filter((definition) => !but.includes(definition));
  await unchanged(app.services, { space: "control", kinds }, work);
}

export const isSignedIn = async (account: TestAccount): Promise<boolean> =>
  (await account.send({ path: "/api/auth/me" })).status === 200;
