import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { endAccountSession } from "@/lib/accounts/end_account_sessions.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleListAccountSessions: Handler<SignedInAccount> = async (call) => {
  const page = await listAccountSessions(call.services, call.principal, call.query);
  return ok(200, JSON.stringify(page), "Sessions listed");
};

export const handleEndAccountSession: Handler<SignedInAccount> = async (call) => {
  const id = requiredId(call.param("id"));
  const ended = await endAccountSession(call.services, call.principal, id);
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id }), "Session ended");
};
