import { deviceOf } from "@/lib/auth/device.ts";
import { completeSignIn } from "@/lib/social/complete_sign_in.ts";
import type { Handler } from "../call.ts";
import { redirect } from "./redirect.ts";

export const handleSignInCallback: Handler<null> = async (call) => {
  const location = await completeSignIn(call.services, {
    provider: call.param("provider"),
    query: new URLSearchParams(call.query),
    cookies: call.header("cookie"),
    device: deviceOf(call.header("user-agent"), call.client()),
  });
  return redirect(location);
};
