import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import { exchangeCode } from "@/lib/auth/exchange_code.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject, own } from "@/lib/store/shape.ts";
import type { Handler } from "../call.ts";
import { cookieHeaders } from "./presented.ts";

export const handleExchangeCode: Handler<KeyHolder> = async (call) => {
  const { services, principal } = call;
  const fields = fieldsOf(await call.optionalBody());
  const refreshToken = await exchangeCode(services, principal.projectId, fields);
  return {
    ...ok(200, JSON.stringify({ refreshToken }), "Signed in"),
    headers: [NO_STORE, ...cookieHeaders(call, principal, refreshToken)],
  };
};

function fieldsOf(body: Json | undefined): { code: string; accessToken: string } {
  const members = isObject(body) ? body : {};
  const [code, accessToken] = [own(members, "rtCode"), own(members, "token")];
  if (typeof code !== "string" || typeof accessToken !== "string" || !code || !accessToken) {
    throw new Problem("EXCHANGE_FIELDS_MISSING");
  }
  return { code, accessToken };
}
