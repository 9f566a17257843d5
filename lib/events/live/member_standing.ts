import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "../../accounts/session_records.ts";
import { Problem } from "../../problems.ts";
import type { SignedInAccount } from "../../projects/account_records.ts";
import { memberOf, type ProjectMember } from "../../projects/members.ts";
import type { Engine } from "../../store/port.ts";
import type { Standing } from "./standing.ts";

/**
 * Of a member by their session in the dashboard: it ends with either. To listen is no use of the
 * session, and does not prolong it.
 */
export async function standingOfMember(
  { engine }: { readonly engine: Engine },
  { account, project }: ProjectMember<SignedInAccount>,
): Promise<Standing> {
  const sessions = engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS);
  const session = await sessions.get(account.sessionId);
  return {
    expiresAt: session === null ? 0 : Date.parse(session.value.expiresAt),
    key: `${account.sessionId} ${project._id}`,
    everyMs: 3_000, // Each time the store is asked.
    async stands() {
      try {
        await memberOf({ engine }, account, project._id);
        return await sessions.get(account.sessionId) !== null;
      } catch (error) {
        // What cannot be found out at the moment is no refusal.
        return !(error instanceof Problem);
      }
    },
  };
}
