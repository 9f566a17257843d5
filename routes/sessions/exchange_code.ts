import type { z } from "zod";
import type { ExchangeInput } from "@/openapi/schemas/session.ts";
import type { ApiKeyPrincipal } from "@/lib/auth/api_keys.ts";
import { exchangeCode } from "@/lib/auth/exchange_code.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";
import { cookieHeaders } from "./presented.ts";

export const handleExchangeCode: Handler<ApiKeyPrincipal, z.infer<typeof ExchangeInput>> = async (
  call,
) => {
  const { services, principal } = call;
  const { rtCode: code, token: accessToken } = call.input;
  const refreshToken = await exchangeCode(services, principal.projectId, { code, accessToken });
  return {
    ...ok(200, JSON.stringify({ refreshToken }), "Signed in"),
    headers: [NO_STORE, ...cookieHeaders(call, principal, refreshToken)],
  };
};
