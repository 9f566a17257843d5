import { deviceOf } from "@/lib/auth/device.ts";
import { isVisit } from "@/lib/http/visits.ts";
import { completeSignIn } from "@/lib/social/complete_sign_in.ts";
import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type { SOCIAL } from "@/openapi/paths/social.ts";
import type { HandlersOf } from "../handler.ts";
import { redirect } from "./redirect.ts";

export const social: HandlersOf<typeof SOCIAL> = {
  startSignIn: async (c) => {
    const { services, principal, state } = c.var;
    const { location, cookie } = await startSignIn(services, principal, {
      provider: c.req.valid("param").provider,
      query: new URLSearchParams(state.query),
      cookies: c.req.header("cookie") ?? null,
    });
    return cookie === null ? redirect(location) : redirect(location, cookie);
  },

  signInCallback: async (c) => {
    const { services, state } = c.var;
    const location = await completeSignIn(services, {
      provider: c.req.valid("param").provider,
      query: new URLSearchParams(state.query),
      cookies: c.req.header("cookie") ?? null,
      isVisit: isVisit(state),
      device: deviceOf(c.req.header("user-agent") ?? null, state.client),
    });
    return redirect(location);
  },
};
