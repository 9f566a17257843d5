import { deviceOf } from "@/lib/auth/device.ts";
import { completeSignIn } from "@/lib/social/complete_sign_in.ts";
import type * as social from "@/openapi/paths/social.ts";
import type { HandlerOf } from "../call.ts";
import { redirect } from "./redirect.ts";

export const handleSignInCallback: HandlerOf<typeof social.signInCallback> = async (call) => {
  const location = await completeSignIn(call.services, {
    provider: call.params.provider,
    query: new URLSearchParams(call.queryText),
    cookies: call.header("cookie"),
    device: deviceOf(call.header("user-agent"), call.client()),
  });
  return redirect(location);
};
