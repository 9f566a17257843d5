import { decodeJwt } from "jose";
import { authenticateKey, type AuthServices, callerOf } from "../../auth/authenticate.ts";
import type { Caller } from "../../auth/principals.ts";
import type { Credentials } from "../../http/request.ts";
import { Problem } from "../../problems.ts";

/** What somebody listens by: looked at again and again for as long as they do. */
export interface Standing {
  /** When it ends by itself, in milliseconds since 1970; null where it does not. */
  readonly expiresAt: number | null;
  /** Of those with the same one, asking one will do. */
  readonly key: string;
  /** How often it is to be asked: revocation is to hold within five seconds. */
  readonly everyMs: number;
  /** Whether the caller is still the one that they were. */
  stands(): Promise<boolean>;
}

/** Of a key, and perhaps an access token beside it, that a caller was let in by. */
export function standingOf(
  services: AuthServices,
  credentials: Credentials,
  caller: Caller,
): Standing {
  const token = credentials.authorization?.replace(/^Bearer /i, "");
  const isUsers = caller.kind === "publishable" && caller.userId !== null;
  return {
    expiresAt: isUsers ? decodeJwt(token!).exp! * 1000 : null,
    key: JSON.stringify([credentials.apiKey, credentials.authorization]),
    everyMs: 0, // Asked of what is remembered, for seconds.
    async stands() {
      try {
        const holder = await authenticateKey(services, credentials);
        const now = await callerOf(services, holder, credentials);
        return now.kind === caller.kind && now.projectId === caller.projectId &&
          (now.kind === "secret" || now.userId === (caller as typeof now).userId);
      } catch (error) {
        // What cannot be found out at the moment is no refusal.
        return !(error instanceof Problem);
      }
    },
  };
}
