import { emailVerifiedReply, messageReply, NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { ApiKeyPrincipal } from "@/lib/projects/api_keys.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import { changeEmail, changePassword, confirmEmailChange } from "@/lib/users/change_credentials.ts";
import { logIn } from "@/lib/users/log_in.ts";
import { resetPassword, signInByCode, verifyEmail } from "@/lib/users/prove_email.ts";
import { requestCode } from "@/lib/users/send_code.ts";
import { toUserDetails } from "@/lib/users/user_details.ts";
import { signInAnonymously, signUp } from "@/lib/users/sign_up.ts";
import type { UserSession } from "@/lib/users/user_session.ts";
import type { USER_EMAIL } from "@/openapi/paths/user_email.ts";
import type { HandlersOf, OperationContext } from "../handler.ts";
import { cookieHeaders } from "../sessions/presented.ts";
import { handleGetPublicUser, handleUpdateProfile } from "./me.ts";
import { visitor } from "./visitor.ts";

type AskingContext = OperationContext<unknown, {
  json: { readonly email: string };
  header: { readonly "accept-language": string | null };
}>;

const asked = ({ req }: AskingContext) => ({
  email: req.valid("json").email,
  language: req.valid("header")["accept-language"],
});

type SessionContext = OperationContext<unknown, {
  header: { readonly "x-refresh-token-mode": boolean };
}>;

export const userEmail: HandlersOf<typeof USER_EMAIL> = {
  signUp: async (c) => {
    const { services, principal } = c.var;
    const session = await signUp(services, principal, c.req.valid("json"), visitor(c));
    if (session !== null) return await signedIn(c, principal.holder, 201, session, "Signed up");
    return ok(201, '{"verificationRequired":true}', "Enter the code that was sent to the e-mail");
  },

  logIn: async (c) => {
    const { services, principal } = c.var;
    const session = await logIn(services, principal, c.req.valid("json"), visitor(c));
    return await signedIn(c, principal, 200, session);
  },

  verifyEmail: async (c) => {
    const { services, principal: { holder, userId }, state: { network } } = c.var;
    const entered = c.req.valid("json");
    return emailVerifiedReply(
      await verifyEmail(services, holder.projectId, entered, { userId, network }),
    );
  },

  resendVerification: async (c) => {
    const request = { purpose: "verify", ...asked(c) } as const;
    await requestCode(c.var.services, c.var.principal.projectId, request);
    return messageReply("If it can be verified, a code is on its way");
  },

  requestPasswordReset: async (
    c,
  ) => {
    const request = { purpose: "resetPassword", ...asked(c) } as const;
    await requestCode(c.var.services, c.var.principal.projectId, request);
    return messageReply("If a user has this e-mail, a code is on its way");
  },

  resetPassword: async (c) => {
    const { services, principal } = c.var;
    await resetPassword(services, principal, c.req.valid("json"), visitor(c));
    return messageReply("Password reset");
  },

  changeUserPassword: async (c) => {
    const { services, principal } = c.var;
    await changePassword(services, principal, c.req.valid("json"), visitor(c));
    return messageReply("Password changed");
  },

  requestCode: async (c) => {
    const { services, principal: { projectId, auth } } = c.var;
    if (!auth.emailCode) throw new Problem("SIGN_IN_METHOD_OFF");
    await requestCode(services, projectId, { purpose: "code", ...asked(c) });
    return messageReply("If it can sign in here, a code is on its way");
  },

  verifyCode: async (c) => {
    const { services, principal } = c.var;
    const session = await signInByCode(services, principal, c.req.valid("json"), visitor(c));
    return await signedIn(c, principal, 200, session);
  },

  changeEmail: async (c) => {
    const { services, principal } = c.var;
    await changeEmail(services, principal, c.req.valid("json"), visitor(c));
    return messageReply("If no user has this e-mail, a code is on its way");
  },

  confirmEmailChange: async (c) => {
    const { services, principal } = c.var;
    await confirmEmailChange(services, principal, c.req.valid("json").otp, visitor(c));
    return messageReply("E-mail changed");
  },

  signInAnonymously: async (c) => {
    const { services, principal } = c.var;
    const session = await signInAnonymously(services, principal, visitor(c));
    return await signedIn(c, principal, 201, session);
  },

  updateProfile: handleUpdateProfile,

  getPublicUser: handleGetPublicUser,
};

/** Returns the reply with a session. The refresh token is in the body or in a cookie. */
async function signedIn(
  c: SessionContext,
  holder: ApiKeyPrincipal,
  status: 200 | 201,
  { accessToken, expiresIn, refreshToken, user }: UserSession,
  message = "Signed in",
): Promise<Reply> {
  const isHeaderMode = c.req.valid("header")["x-refresh-token-mode"];
  const declared = await c.var.services.userFields.ofProject(holder.projectId);
  const data = {
    accessToken,
    token: accessToken,
    expiresIn,
    userId: user._id,
    user: toUserDetails(declared, user),
    ...(isHeaderMode && { refreshToken }),
  };
  return {
    ...ok(status, jsonText(data), message),
    headers: [NO_STORE, ...(isHeaderMode ? [] : cookieHeaders(c, holder, refreshToken))],
  };
}
