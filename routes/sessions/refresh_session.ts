import { rotateRefreshToken } from "@/lib/auth/rotate_refresh_token.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { refreshSession } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleRefreshSession: HandlerOf<typeof refreshSession> = async (c) => {
  const { services, principal } = c.var;
  const { token, byClient } = presentedToken(c, principal);
  const { "x-refresh-token-mode": isHeaderMode } = c.req.valid("header");
  // The successor of a cookie could go nowhere.
  if (token === null || (!byClient && isHeaderMode)) {
    throw new Problem("REFRESH_TOKEN_INVALID");
  }
  const { accessToken, refreshToken, expiresIn } = await rotateRefreshToken(
    services,
    principal.projectId,
    token,
  );
  const renewed = { accessToken, token: accessToken, expiresIn, ...(byClient && { refreshToken }) };
  return {
    ...ok(200, JSON.stringify(renewed), "Access token renewed"),
    headers: [NO_STORE, ...(isHeaderMode ? [] : cookieHeaders(c, principal, refreshToken))],
  };
};
