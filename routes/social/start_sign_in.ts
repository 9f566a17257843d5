import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type * as social from "@/openapi/paths/social.ts";
import type { HandlerOf } from "../call.ts";
import { redirect } from "./redirect.ts";

export const handleStartSignIn: HandlerOf<typeof social.startSignIn> = async (call) => {
  const { location, cookie } = await startSignIn(call.services, call.principal, {
    provider: call.params.provider,
    query: new URLSearchParams(call.queryText),
    cookies: call.header("cookie"),
  });
  return cookie === null ? redirect(location) : redirect(location, cookie);
};
