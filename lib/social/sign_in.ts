import type { AccessTokens } from "../auth/access_tokens.ts";
import { issueExchangeCode } from "../auth/exchange_codes.ts";
import { openSession } from "../auth/open_session.ts";
import type { Device, SessionDirectory } from "../auth/sessions.ts";
import { marksOf } from "../auth/users.ts";
import type { SigningKeys } from "../projects/signing_keys.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { type QuotaServices, withinQuota } from "../documents/quota.ts";
import { ACCESS_TOKEN_SECONDS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Linking } from "../projects/providers.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { ByteQuota, Engine, Id, Transaction } from "../store/port.ts";
import { fieldsOfNewUser, type UserFields } from "../users/user_fields.ts";
import { accountOf } from "./accounts.ts";
import { SignInFailed } from "./failures.ts";
import type { Profile } from "./provider.ts";

export interface AccountServices extends QuotaServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly signingKeys: SigningKeys;
  readonly sessions: SessionDirectory;
  readonly tokens: AccessTokens;
  readonly userFields: UserFields;
  readonly log: Log;
}

export interface SignInInput {
  readonly provider: string;
  readonly profile: Profile;
  readonly linking: Linking;
  /** Whether the project takes new users. */
  readonly mayCreate: boolean;
  readonly device: Device;
}

export interface SignedIn {
  readonly userId: Id;
  readonly isNewUser: boolean;
  readonly linkedByEmail: boolean;
  readonly accessToken: string;
  readonly rtCode: string;
}

/** Each finds what the one before stumbled over; more come only while others change the same. */
const ATTEMPTS_MAX = 5;

/**
 * Signs a user in whom a provider has proved: the account, a session and its exchange code are
 * written together or not at all. Throws `SignInFailed` for a disabled user, and for a new one where
 * the plan has no room for them.
 */
export async function signIn(
  services: AccountServices,
  projectId: Id,
  input: SignInInput,
): Promise<SignedIn> {
  const { engine, clock, newId, signingKeys, sessions, tokens, log } = services;
  const { device, ...whom } = input;
  const fields = fieldsOfNewUser(await services.userFields.of(projectId), {}, true);
  // Within the transaction nothing may be read that is not its own: so the key is known before.
  await signingKeys.find(projectId);

  async function attempt(tx: Transaction, quota: ByteQuota | undefined) {
    const { revoked, reclaimed, ...account } = await accountOf(
      tx,
      { projectId, clock, newId, fields, quota },
      whom,
    );
    const { userId } = account;
    const opened = await openSession(tx, { clock, newId }, { userId, device });
    const { sessionId } = opened;
    const bearer = { userId, sessionId, ...marksOf(opened.user) };
    const accessToken = await tokens.issue(projectId, bearer, ACCESS_TOKEN_SECONDS);
    const rtCode = await issueExchangeCode(tx, { clock, newId }, {
      sessionId,
      userId,
      accessToken,
    });
    return { revoked, reclaimed, signedIn: { ...account, accessToken, rtCode } };
  }

  for (let attempts = 1;; attempts++) {
    try {
      const { revoked, reclaimed, signedIn } = await withinQuota(
        services,
        projectId,
        (quota) => engine.transaction(projectId, (tx) => attempt(tx, quota)),
      );
      sessions.forget(projectId, revoked);
      if (reclaimed) {
        log.write("warn", "An account that nobody had proved is its e-mail's owner's now", {
          event: "account_reclaimed",
          project: projectId,
          user: signedIn.userId,
        });
      }
      return signedIn;
    } catch (error) {
      if (error instanceof Problem && error.code === "DOCUMENT_QUOTA_EXCEEDED") {
        throw new SignInFailed("closed", error.code);
      }
      // The same person, or the same address, came first in another process: it is there now.
      if (!(error instanceof UniqueViolation) || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}
