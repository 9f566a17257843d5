import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import { rotateRefreshToken } from "@/lib/auth/rotate_refresh_token.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleRefreshSession: Handler<KeyHolder> = async (call) => {
  const { token, byClient } = await presentedToken(call);
  if (token === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const { accessToken, refreshToken, expiresIn } = await rotateRefreshToken(
    call.services,
    call.principal.projectId,
    token,
  );
  const renewed = { accessToken, token: accessToken, expiresIn, ...(byClient && { refreshToken }) };
  return {
    ...ok(200, JSON.stringify(renewed), "Access token renewed"),
    headers: [NO_STORE, ...cookieHeaders(call, refreshToken)],
  };
};
