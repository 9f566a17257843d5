import { NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import { logIn } from "@/lib/users/log_in.ts";
import { signInByCode } from "@/lib/users/prove_email.ts";
import { shownUser } from "@/lib/users/shown_user.ts";
import { signInAnonymously, signUp } from "@/lib/users/sign_up.ts";
import type { UserSession } from "@/lib/users/user_session.ts";
import type * as email from "@/openapi/paths/user_email.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";
import { cookieHeaders } from "../sessions/presented.ts";
import { visitor } from "./visitor.ts";

export const handleSignUp: HandlerOf<typeof email.signUp> = async (c) => {
  const { services, principal } = c.var;
  const session = await signUp(services, principal, c.req.valid("json"), visitor(c));
  if (session !== null) return await signedIn(c, principal.holder, 201, session, "Signed up");
  return ok(201, '{"verificationRequired":true}', "Enter the code that was sent to the e-mail");
};

export const handleLogIn: HandlerOf<typeof email.logIn> = async (c) => {
  const { services, principal } = c.var;
  const session = await logIn(services, principal, c.req.valid("json"), visitor(c));
  return await signedIn(c, principal, 200, session);
};

export const handleVerifyCode: HandlerOf<typeof email.verifyCode> = async (c) => {
  const { services, principal } = c.var;
  const session = await signInByCode(services, principal, c.req.valid("json"), visitor(c));
  return await signedIn(c, principal, 200, session);
};

export const handleSignInAnonymously: HandlerOf<typeof email.signInAnonymously> = async (c) => {
  const { services, principal } = c.var;
  const session = await signInAnonymously(services, principal, visitor(c));
  return await signedIn(c, principal, 201, session);
};

type SessionContext = OperationContext<unknown, {
  header: { readonly "x-refresh-token-mode": boolean };
}>;

/** The reply with a session: the refresh token is in it, or in a cookie. */
async function signedIn(
  c: SessionContext,
  holder: ApiKeyPrincipal,
  status: 200 | 201,
  { accessToken, expiresIn, refreshToken, user }: UserSession,
  message = "Signed in",
): Promise<Reply> {
  const isHeaderMode = c.req.valid("header")["x-refresh-token-mode"];
  const declared = await c.var.services.userFields.of(holder.projectId);
  const data = {
    accessToken,
    token: accessToken,
    expiresIn,
    userId: user._id,
    user: shownUser(declared, user),
    ...(isHeaderMode && { refreshToken }),
  };
  return {
    ...ok(status, jsonText(data), message),
    headers: [NO_STORE, ...(isHeaderMode ? [] : cookieHeaders(c, holder, refreshToken))],
  };
}
