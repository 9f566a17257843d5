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
import { traceless as unchanged } from "../support/traceless.ts";
import { ok } from "./test_collection.ts";

export const ADA = "ada@example.com";

/** Another one that nobody guesses. */
export const NEXT_PASSWORD = "eight dry leaves 52";

export const MINUTE_MS = 60_000;

/** Where there is no mail server, and nobody keeps mails. */
export const NO_MAIL = { MAIL_URL: "" };

/** An operation below `/api/auth`. */
export const authCall = (operation: string, body: unknown): Call => ({
  path: `/api/auth/${operation}`,
  body,
});

/** Asks for a code and reads it from the mail. The clock moves on first, so that one may be sent. */
export async function codeFor(
  app: TestApp,
  operation: "resend-verification" | "request-password-reset",
  email: string,
): Promise<string> {
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await app.send(authCall(operation, { email })));
  return await codeTo(app.services, "control", email);
}

/** The code that registering sent. */
export const firstCode = ({ services }: TestApp, { email }: TestAccount): Promise<string> =>
  codeTo(services, "control", email);

/** A code that is another one. */
export const wrongCode = (code: string): string => code === "000000" ? "000001" : "000000";

export const storedAccount = async (
  { services }: TestApp,
  { accountId }: TestAccount,
): Promise<AccountRecord> =>
  (await services.engine.records<AccountRecord>("control", ACCOUNTS).get(accountId))!.value;

export const countOf = ({ services }: TestApp, definition: Definition): Promise<number> =>
  countIn(services, "control", definition);

/** Kinds and recipients of mails to accounts, the oldest first. */
export const mailed = async ({ services }: TestApp): Promise<[kind: string, to: string][]> =>
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
 * Fails if anything of accounts, sessions, invitations, codes and mails is different after `work`.
 * @param but What may change: tries that were taken, say.
 */
export async function traceless(
  app: TestApp,
  work: () => Promise<void>,
  but: readonly Definition[] = [],
): Promise<void> {
  const kinds = TRACES.filter((definition) => !but.includes(definition));
  await unchanged(app.services, { space: "control", kinds }, work);
}

/** Whether the account's session still stands. */
export const isSignedIn = async (account: TestAccount): Promise<boolean> =>
  (await account.send({ path: "/api/auth/me" })).status === 200;
