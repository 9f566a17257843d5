import { logOut } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { logout } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleLogout: HandlerOf<typeof logout> = async (c) => {
  const { services, principal } = c.var;
  const { token } = presentedToken(c, principal);
  // With a secret key, as everywhere, an access token is not looked at.
  const authorization = principal.kind === "secret" ? null : c.req.header("authorization") ?? null;
  await logOut(services, principal.projectId, { refreshToken: token, authorization });
  const message = "Signed out";
  const data = JSON.stringify({ success: true, message });
  return { ...ok(200, data, message), headers: cookieHeaders(c, principal, null) };
};
