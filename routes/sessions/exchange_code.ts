import { exchangeCode } from "@/lib/auth/exchange_code.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { exchangeCode as contract } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";
import { cookieHeaders } from "./presented.ts";

export const handleExchangeCode: HandlerOf<typeof contract> = async (c) => {
  const { services, principal } = c.var;
  const { rtCode: code, token: accessToken } = c.req.valid("json");
  const refreshToken = await exchangeCode(services, principal.projectId, { code, accessToken });
  const isKept = !c.req.valid("header")["x-refresh-token-mode"];
  return {
    ...ok(200, JSON.stringify({ refreshToken }), "Signed in"),
    headers: [NO_STORE, ...(isKept ? cookieHeaders(c, principal, refreshToken) : [])],
  };
};
