import type { ApiKeyPrincipal } from "@/lib/auth/api_keys.ts";
import { endSessionsOf, userOfRefreshToken } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Handler } from "../call.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

interface Principal {
  readonly holder: ApiKeyPrincipal;
  readonly userId: Id | null;
}

export const handleLogoutAll: Handler<Principal> = async (call) => {
  const { services, principal: { holder, userId } } = call;
  const { projectId } = holder;
  const { token } = await presentedToken(call, holder);
  if (userId === null && token === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
  const owner = userId ?? await userOfRefreshToken(services, projectId, token!);
  const ended = await endSessionsOf(services, projectId, owner);
  const data = JSON.stringify({ ended });
  return { ...ok(200, data, "Signed out everywhere"), headers: cookieHeaders(call, holder, null) };
};
