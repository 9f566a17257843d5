import type { ApiKeyPrincipal } from "@/lib/auth/api_keys.ts";
import { logOut } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleLogout: Handler<ApiKeyPrincipal> = async (call) => {
  const { services, principal } = call;
  const { token } = await presentedToken(call, principal, { isLenient: true });
  // With a secret key, as everywhere, an access token is not looked at.
  const authorization = principal.kind === "secret" ? null : call.header("authorization");
  await logOut(services, principal.projectId, { refreshToken: token, authorization });
  const message = "Signed out";
  const data = JSON.stringify({ success: true, message });
  return { ...ok(200, data, message), headers: cookieHeaders(call, principal, null) };
};
