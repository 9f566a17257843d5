import { endSession, endSessionsOf, logOut, userOfRefreshToken } from "@/lib/auth/end_sessions.ts";
import { exchangeCode } from "@/lib/auth/exchange_code.ts";
import { listSessions } from "@/lib/auth/list_sessions.ts";
import { rotateRefreshToken } from "@/lib/auth/rotate_refresh_token.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { SESSIONS } from "@/openapi/paths/sessions.ts";
import type { HandlersOf } from "../handler.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const sessions: HandlersOf<typeof SESSIONS> = {
  exchangeCode: async (c) => {
    const { services, principal } = c.var;
    const { rtCode: code, token: accessToken } = c.req.valid("json");
    const refreshToken = await exchangeCode(services, principal.projectId, { code, accessToken });
    const isKept = !c.req.valid("header")["x-refresh-token-mode"];
    return {
      ...ok(200, JSON.stringify({ refreshToken }), "Signed in"),
      headers: [NO_STORE, ...(isKept ? cookieHeaders(c, principal, refreshToken) : [])],
    };
  },

  refreshSession: async (c) => {
    const { services, principal } = c.var;
    const { token, byClient } = presentedToken(c, principal);
    const { "x-refresh-token-mode": isHeaderMode } = c.req.valid("header");
    // The new token of a cookie could not be returned in a header.
    if (token === null || (!byClient && isHeaderMode)) {
      throw new Problem("REFRESH_TOKEN_INVALID");
    }
    const { accessToken, refreshToken, expiresIn } = await rotateRefreshToken(
      services,
      principal.projectId,
      token,
    );
    const renewed = {
      accessToken,
      token: accessToken,
      expiresIn,
      ...(byClient && { refreshToken }),
    };
    return {
      ...ok(200, JSON.stringify(renewed), "Access token renewed"),
      headers: [NO_STORE, ...(isHeaderMode ? [] : cookieHeaders(c, principal, refreshToken))],
    };
  },

  logout: async (c) => {
    const { services, principal } = c.var;
    const { token } = presentedToken(c, principal);
    // Requests with a secret key ignore the access token.
    const authorization = principal.kind === "secret"
      ? null
      : c.req.header("authorization") ?? null;
    await logOut(services, principal.projectId, { refreshToken: token, authorization });
    const message = "Signed out";
    const data = JSON.stringify({ success: true, message });
    return { ...ok(200, data, message), headers: cookieHeaders(c, principal, null) };
  },

  logoutAll: async (c) => {
    const { services, principal: { holder, userId } } = c.var;
    const { projectId } = holder;
    const { token } = presentedToken(c, holder);
    if (userId === null && token === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
    const owner = userId ?? await userOfRefreshToken(services, projectId, token!);
    const ended = await endSessionsOf(services, projectId, owner);
    const data = JSON.stringify({ ended });
    return { ...ok(200, data, "Signed out everywhere"), headers: cookieHeaders(c, holder, null) };
  },

  listSessions: async (c) => {
    const { services, principal } = c.var;
    const page = await listSessions(services, principal, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Sessions listed");
  },

  endSession: async (c) => {
    const { services, principal: { projectId, userId } } = c.var;
    const { id } = c.req.valid("param");
    const ended = await endSession(services, projectId, { sessionId: id, userId });
    if (!ended) throw new Problem("SESSION_NOT_FOUND");
    return ok(200, JSON.stringify({ id }), "Session ended");
  },
};
