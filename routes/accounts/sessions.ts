import { endAccountSession } from "@/lib/accounts/end_account_sessions.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type * as accounts from "@/openapi/paths/accounts.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListAccountSessions: HandlerOf<typeof accounts.listAccountSessions> = async (
  c,
) => {
  const { services, principal } = c.var;
  const query = c.req.valid("query");
  const page = await listAccountSessions(services, principal, query);
  return ok(200, JSON.stringify(page), "Sessions listed");
};

export const handleEndAccountSession: HandlerOf<typeof accounts.endAccountSession> = async (c) => {
  const { services, principal } = c.var;
  const { id } = c.req.valid("param");
  const ended = await endAccountSession(services, principal, id);
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id }), "Session ended");
};
