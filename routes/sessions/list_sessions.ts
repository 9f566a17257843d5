import { listSessions } from "@/lib/auth/list_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { listSessions as contract } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListSessions: HandlerOf<typeof contract> = async (c) => {
  const { services, principal } = c.var;
  const page = await listSessions(services, principal, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Sessions listed");
};
