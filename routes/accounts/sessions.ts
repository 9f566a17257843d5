import { endAccountSession } from "@/lib/accounts/end_account_sessions.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type * as accounts from "@/openapi/paths/accounts.ts";
import type { HandlerOf } from "../call.ts";

export const handleListAccountSessions: HandlerOf<typeof accounts.listAccountSessions> = async (
  { services, principal, query },
) => {
  const page = await listAccountSessions(services, principal, query);
  return ok(200, JSON.stringify(page), "Sessions listed");
};

export const handleEndAccountSession: HandlerOf<typeof accounts.endAccountSession> = async (
  { services, principal, params: { id } },
) => {
  const ended = await endAccountSession(services, principal, id);
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id }), "Session ended");
};
