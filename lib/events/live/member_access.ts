import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "../../accounts/session_records.ts";
import { Problem } from "../../problems.ts";
import type { SignedInAccount } from "../../projects/account_records.ts";
import { memberOf, type ProjectMember } from "../../projects/members.ts";
import type { Engine } from "../../store/port.ts";
import type { ListenerAccess } from "./listener_access.ts";

/** Ends with the member's session or membership. Listening does not prolong the session. */
export async function accessByMember(
  { engine }: { readonly engine: Engine },
  { account, project }: ProjectMember<SignedInAccount>,
): Promise<ListenerAccess> {
  const sessions = engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS);
  const session = await sessions.get(account.sessionId);
  return {
    expiresAt: session === null ? 0 : Date.parse(session.value.expiresAt),
    key: `${account.sessionId} ${project._id}`,
    checkEveryMs: 3_000, // Each check reads from the store.
    async isValid() {
      try {
        await memberOf({ engine }, account, project._id);
        return await sessions.get(account.sessionId) !== null;
      } catch (error) {
        // A failure of the store does not end the stream.
        return !(error instanceof Problem);
      }
    },
  };
}
