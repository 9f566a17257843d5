import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type * as social from "@/openapi/paths/social.ts";
import type { HandlerOf } from "../handler.ts";
import { redirect } from "./redirect.ts";

export const handleStartSignIn: HandlerOf<typeof social.startSignIn> = async (c) => {
  const { services, principal, state } = c.var;
  const { location, cookie } = await startSignIn(services, principal, {
    provider: c.req.valid("param").provider,
    query: new URLSearchParams(state.query),
    cookies: c.req.header("cookie") ?? null,
  });
  return cookie === null ? redirect(location) : redirect(location, cookie);
};
