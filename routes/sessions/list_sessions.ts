import { listSessions } from "@/lib/auth/list_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { listSessions as contract } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../call.ts";

export const handleListSessions: HandlerOf<typeof contract> = async (call) => {
  const page = await listSessions(call.services, call.principal, call.query);
  return ok(200, JSON.stringify(page), "Sessions listed");
};
