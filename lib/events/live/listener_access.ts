import { decodeJwt } from "jose";
import { authenticateKey, type AuthServices, callerOf } from "../../auth/authenticate.ts";
import type { Caller } from "../../auth/principals.ts";
import type { Credentials } from "../../http/request.ts";
import { Problem } from "../../problems.ts";

/** The access of a live list's caller, which is checked as long as the stream is open. */
export interface ListenerAccess {
  /** Time of expiry in milliseconds since 1970; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Identifies the credentials, so that equal ones are checked together. */
  readonly key: string;
  /** Interval between checks. A revocation must take effect within five seconds. */
  readonly checkEveryMs: number;
  /** Whether the credentials still belong to the caller. */
  isValid(): Promise<boolean>;
}

/** Returns the access of a caller by an API key and perhaps an access token. */
export function accessByKey(
  services: AuthServices,
  credentials: Credentials,
  caller: Caller,
): ListenerAccess {
  const token = credentials.authorization?.replace(/^Bearer /i, "");
  const isUsers = caller.kind === "publishable" && caller.userId !== null;
  return {
    expiresAt: isUsers ? decodeJwt(token!).exp! * 1000 : null,
    key: JSON.stringify([credentials.apiKey, credentials.authorization]),
    checkEveryMs: 0, // Checks read from caches.
    async isValid() {
      try {
        const holder = await authenticateKey(services, credentials);
        const now = await callerOf(services, holder, credentials);
        return now.kind === caller.kind && now.projectId === caller.projectId &&
          (now.kind === "secret" || now.userId === (caller as typeof now).userId);
      } catch (error) {
        // A failure of the store does not end the stream.
        return !(error instanceof Problem);
      }
    },
  };
}
