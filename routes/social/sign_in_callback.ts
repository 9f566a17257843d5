import { deviceOf } from "@/lib/auth/device.ts";
import { isVisit } from "@/lib/http/visits.ts";
import { completeSignIn } from "@/lib/social/complete_sign_in.ts";
import type * as social from "@/openapi/paths/social.ts";
import type { HandlerOf } from "../handler.ts";
import { redirect } from "./redirect.ts";

export const handleSignInCallback: HandlerOf<typeof social.signInCallback> = async (c) => {
  const { services, state } = c.var;
  const location = await completeSignIn(services, {
    provider: c.req.valid("param").provider,
    query: new URLSearchParams(state.query),
    cookies: c.req.header("cookie") ?? null,
    isVisit: isVisit(state),
    device: deviceOf(c.req.header("user-agent") ?? null, state.client),
  });
  return redirect(location);
};
