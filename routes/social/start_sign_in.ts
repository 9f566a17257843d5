import type { ApiKeyPrincipal } from "@/lib/auth/api_keys.ts";
import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type { Handler } from "../call.ts";
import { redirect } from "./redirect.ts";

export const handleStartSignIn: Handler<ApiKeyPrincipal> = async (call) => {
  const { location, cookie } = await startSignIn(call.services, call.principal, {
    provider: call.param("provider"),
    query: new URLSearchParams(call.query),
    cookies: call.header("cookie"),
  });
  return cookie === null ? redirect(location) : redirect(location, cookie);
};
