import { listSessions } from "@/lib/auth/list_sessions.ts";
import type { SignedInUser } from "@/lib/auth/principals.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleListSessions: Handler<SignedInUser> = async (call) => {
  const page = await listSessions(call.services, call.principal, call.query);
  return ok(200, JSON.stringify(page), "Sessions listed");
};
