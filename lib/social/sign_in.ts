import type { AccessTokens } from "../auth/access_tokens.ts";
import { issueExchangeCode } from "../auth/exchange_codes.ts";
import { openSession } from "../auth/open_session.ts";
import type { Device, SessionDirectory } from "../auth/sessions.ts";
import { rolesAndClaimsOf } from "../auth/users.ts";
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
import { toNewUserFields, type UserFields } from "../users/user_fields.ts";
import { resolveAccount } from "./accounts.ts";
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
  readonly canCreateUser: boolean;
  readonly device: Device;
}

export interface SignedIn {
  readonly userId: Id;
  readonly isNewUser: boolean;
  readonly linkedByEmail: boolean;
  readonly accessToken: string;
  readonly rtCode: string;
}

/** Number of attempts. An attempt that lost a race against another sign-in is repeated. */
const ATTEMPTS_MAX = 5;

/** Writes the user, session and exchange code in one transaction. Throws `SignInFailed`. */
export async function signIn(
  services: AccountServices,
  projectId: Id,
  input: SignInInput,
): Promise<SignedIn> {
  const { engine, clock, newId, signingKeys, sessions, tokens, log } = services;
  const { device, ...proven } = input;
  const fields = toNewUserFields(await services.userFields.ofProject(projectId), {}, true);
  // Caches the key, because nothing else may be read inside the transaction.
  await signingKeys.find(projectId);

  async function signInOnce(tx: Transaction, quota: ByteQuota | undefined) {
    const { revoked, reclaimed, ...account } = await resolveAccount(
      tx,
      { projectId, clock, newId, fields, quota },
      proven,
    );
    const { userId } = account;
    const opened = await openSession(tx, { clock, newId }, { userId, device });
    const { sessionId } = opened;
    const bearer = { userId, sessionId, ...rolesAndClaimsOf(opened.user) };
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
        (quota) => engine.transaction(projectId, (tx) => signInOnce(tx, quota)),
      );
      sessions.forget(projectId, revoked);
      if (reclaimed) {
        log.write(
          "warn",
          "An account with an unverified e-mail now belongs to the owner of the e-mail",
          { event: "account_reclaimed", project: projectId, user: signedIn.userId },
        );
      }
      return signedIn;
    } catch (error) {
      if (error instanceof Problem && error.code === "DOCUMENT_QUOTA_EXCEEDED") {
        throw new SignInFailed("closed", error.code);
      }
      // A concurrent sign-in has created the user, which the next attempt finds.
      if (!(error instanceof UniqueViolation) || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}
