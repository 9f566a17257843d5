import { endSessionsOf, userOfRefreshToken } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { logoutAll } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleLogoutAll: HandlerOf<typeof logoutAll> = async (c) => {
  const { services, principal: { holder, userId } } = c.var;
  const { projectId } = holder;
  const { token } = presentedToken(c, holder);
  if (userId === null && token === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
  const owner = userId ?? await userOfRefreshToken(services, projectId, token!);
  const ended = await endSessionsOf(services, projectId, owner);
  const data = JSON.stringify({ ended });
  return { ...ok(200, data, "Signed out everywhere"), headers: cookieHeaders(c, holder, null) };
};
