import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { acceptLanguage, refreshTokenMode, username } from "../parameters.ts";
import {
  PUBLIC_USER_EXAMPLE,
  PublicUser,
  SIGN_UP_EXAMPLE,
  SignUp,
  USER_EXAMPLE,
  UserChanges,
} from "../schemas/user.ts";
import {
  ChangedProfile,
  EmailAddress,
  EmailChange,
  EmailChangeCode,
  EmailCode,
  EmailVerification,
  LogIn,
  PasswordReset,
  SignedUp,
  USER_SESSION_EXAMPLE,
  UserPasswordChange,
  UserSession,
} from "../schemas/user_session.ts";
import { changingUser, signInKey, signUpKey } from "../security.ts";
import { EMAIL_VERIFIED, messageAnswer, SAME_ANSWER } from "../message_answers.ts";

const TAG = "E-mail sign-in";

const SETS_COOKIE = {
  "set-cookie": "The refresh token, for browsers. Left out with `x-refresh-token-mode: header`, " +
    "and for origins from which the cookie is not accepted.",
};

const session = (status: 200 | 201, description: string, message: string) => ({
  status,
  description,
  data: UserSession,
  example: USER_SESSION_EXAMPLE,
  message,
  headers: SETS_COOKIE,
});

export const signUp = contract({
  operationId: "signUp",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/signup",
  summary: "Sign a user up with an e-mail and a password",
  description: "Creates a user and signs them in. If mail can be sent, a code to verify the " +
    "address is sent. With the access token of an anonymous user, that user gets the address and " +
    "the password, and keeps their id and documents.\n\n" +
    "If the project's `requireVerifiedEmail` is on, the user is not signed in yet, and the " +
    "answer is the same for an address that is taken: a mail informs its owner. Otherwise a " +
    "taken address is a 409.",
  security: signUpKey,
  headers: { "x-refresh-token-mode": refreshTokenMode, "accept-language": acceptLanguage },
  body: { schema: SignUp, example: SIGN_UP_EXAMPLE, description: "The new user." },
  success: [{
    ...session(201, "A session, or a note that the e-mail must be verified first.", "Signed up"),
    data: SignedUp,
  }],
  problems: [
    "INVALID_PASSWORD",
    "SIGN_UP_CLOSED",
    "DOCUMENT_QUOTA_EXCEEDED",
    "SIGN_IN_METHOD_OFF",
    "EMAIL_TAKEN",
    "USERNAME_TAKEN",
    "PASSWORDS_BUSY",
    "MAIL_NOT_CONFIGURED",
  ],
});

export const logIn = contract({
  operationId: "logIn",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/login",
  summary: "Sign a user in with their password",
  description:
    "An unknown e-mail, a wrong password and a disabled user have the same answer and the " +
    "same timing. After several wrong passwords, each further try has to wait, longer every time.",
  security: signInKey,
  headers: { "x-refresh-token-mode": refreshTokenMode, "accept-language": acceptLanguage },
  body: {
    schema: LogIn,
    example: { email: SIGN_UP_EXAMPLE.email, password: SIGN_UP_EXAMPLE.password },
    description: "The e-mail and the password.",
  },
  success: [session(200, "A session.", "Signed in")],
  problems: [
    "INVALID_CREDENTIALS",
    "EMAIL_NOT_VERIFIED",
    "SIGN_IN_METHOD_OFF",
    "SIGN_IN_LOCKED",
    "PASSWORDS_BUSY",
    "MAIL_NOT_CONFIGURED",
  ],
});

export const verifyEmail = contract({
  operationId: "verifyEmail",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/verify-email",
  summary: "Verify a user's e-mail with a code",
  description: "Accepts the code of the sign-up, or the newest one since. Send the user's access " +
    "token or the password of the sign-up. Without either, the code proves access to the " +
    "mailbox, but not that its owner signed up, so the user's password, providers and sessions " +
    "are removed. A wrong password does not use up the code, but counts as a try.",
  security: signUpKey,
  body: {
    schema: EmailVerification,
    example: { email: "ada@example.com", otp: "174503" },
    description: "The address and its code, and the password if there is no session.",
  },
  success: [EMAIL_VERIFIED],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "WRONG_PASSWORD", "PASSWORDS_BUSY"],
});

export const resendVerification = contract({
  operationId: "resendVerification",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/resend-verification-otp",
  summary: "Send a user another code to verify their e-mail",
  description: SAME_ANSWER,
  security: signInKey,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailAddress,
    example: { email: "ada@example.com" },
    description: "The address.",
  },
  success: [
    messageAnswer(
      "A code is sent if the address can be verified.",
      "If it can be verified, a code is on its way",
    ),
  ],
  problems: ["MAIL_NOT_CONFIGURED"],
});

export const requestPasswordReset = contract({
  operationId: "requestPasswordReset",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/request-password-reset",
  summary: "Send a user a code to reset their password",
  description: SAME_ANSWER,
  security: signInKey,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailAddress,
    example: { email: "ada@example.com" },
    description: "The address.",
  },
  success: [
    messageAnswer(
      "A code is sent if a user has the address.",
      "If a user has this e-mail, a code is on its way",
    ),
  ],
  problems: ["MAIL_NOT_CONFIGURED"],
});

export const resetPassword = contract({
  operationId: "resetPassword",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/reset-password",
  summary: "Reset a user's password with a code",
  description: "Sets a password, also a user's first. All their sessions end, and their other " +
    "codes become invalid. The code proves access to the mailbox, so the address is verified.",
  security: signInKey,
  body: {
    schema: PasswordReset,
    example: { email: "ada@example.com", otp: "174503", newPassword: "an analytical engine no. 3" },
    description: "The address, its code and the new password.",
  },
  success: [messageAnswer("The password is set.", "Password reset")],
  problems: [
    "INVALID_CODE",
    "SIGN_IN_LOCKED",
    "INVALID_PASSWORD",
    "SIGN_IN_METHOD_OFF",
    "PASSWORDS_BUSY",
  ],
});

export const changeUserPassword = contract({
  operationId: "changeUserPassword",
  tag: TAG,
  method: "put",
  path: "/api/userAuth/change-password",
  summary: "Change the signed-in user's password",
  description: "Ends all other sessions of the user. A user without a password sets one with a " +
    "code, by `reset-password`.",
  security: changingUser,
  body: {
    schema: UserPasswordChange,
    example: {
      currentPassword: "a difference engine no. 2",
      newPassword: "an analytical engine no. 3",
    },
    description: "The current password and the new one.",
  },
  success: [messageAnswer("The password is changed.", "Password changed")],
  problems: [
    "WRONG_PASSWORD",
    "INVALID_PASSWORD",
    "SIGN_IN_METHOD_OFF",
    "SIGN_IN_LOCKED",
    "PASSWORDS_BUSY",
  ],
});

export const requestCode = contract({
  operationId: "requestCode",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/code/request",
  summary: "Send a user a code to sign in with",
  description: `${SAME_ANSWER} If sign-up is open, an address without a user gets a code too.`,
  security: signInKey,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailAddress,
    example: { email: "ada@example.com" },
    description: "The address.",
  },
  success: [
    messageAnswer(
      "A code is sent if the address can sign in.",
      "If it can sign in here, a code is on its way",
    ),
  ],
  problems: ["SIGN_IN_METHOD_OFF", "MAIL_NOT_CONFIGURED"],
});

export const verifyCode = contract({
  operationId: "verifyCode",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/code/verify",
  summary: "Sign a user in with a code",
  description: "Creates a user if the address has none. If the user's address was not verified " +
    "before, their password and sessions are removed, because another person may have signed up " +
    "with the address.",
  security: signInKey,
  headers: { "x-refresh-token-mode": refreshTokenMode },
  body: {
    schema: EmailCode,
    example: { email: "ada@example.com", otp: "174503" },
    description: "The address and its code.",
  },
  success: [session(200, "A session.", "Signed in")],
  problems: [
    "INVALID_CODE",
    "SIGN_IN_LOCKED",
    "SIGN_IN_METHOD_OFF",
    "EMAIL_TAKEN",
    "DOCUMENT_QUOTA_EXCEEDED",
  ],
});

export const changeEmail = contract({
  operationId: "changeEmail",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/change-email",
  summary: "Send a code to the signed-in user's next e-mail",
  description: "Nothing changes before the code is confirmed. If the address is taken, the " +
    "answer is the same, but no code is sent.",
  security: changingUser,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailChange,
    example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
    description: "The new address, and the password if the user has one.",
  },
  success: [
    messageAnswer(
      "A code is sent if the address is free.",
      "If no user has this e-mail, a code is on its way",
    ),
  ],
  problems: ["WRONG_PASSWORD", "SIGN_IN_LOCKED", "PASSWORDS_BUSY", "MAIL_NOT_CONFIGURED"],
});

export const confirmEmailChange = contract({
  operationId: "confirmEmailChange",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/confirm-email-change",
  summary: "Give the signed-in user their next e-mail",
  description: "The previous address gets a mail, if it was verified and mail can be sent.",
  security: changingUser,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailChangeCode,
    example: { otp: "174503" },
    description: "The code that was sent to the new address.",
  },
  success: [messageAnswer("The user has the new address, which is verified.", "E-mail changed")],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "EMAIL_TAKEN"],
});

export const signInAnonymously = contract({
  operationId: "signInAnonymously",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/anonymous",
  summary: "Sign in an anonymous user",
  description: "Creates a user without an e-mail, if the project's `anonymous` is on. If they " +
    "sign up later with this session's access token, they keep their id and documents.",
  security: signInKey,
  headers: { "x-refresh-token-mode": refreshTokenMode },
  success: [session(201, "A session.", "Signed in")],
  problems: ["SIGN_IN_METHOD_OFF", "SIGN_UP_CLOSED", "DOCUMENT_QUOTA_EXCEEDED"],
});

export const updateProfile = contract({
  operationId: "updateProfile",
  tag: TAG,
  method: "put",
  path: "/api/userAuth/update-profile",
  summary: "Update the signed-in user, as PATCH /me does",
  description: "For clients that use this address. The e-mail is changed by `change-email`.",
  security: changingUser,
  body: {
    schema: UserChanges,
    example: { name: "Ada Lovelace" },
    description: "At least one of the members, or a declared field.",
  },
  success: okAnswer("User changed", "The changed user.", {
    data: ChangedProfile,
    example: { ...USER_EXAMPLE, message: "User changed" },
  }),
  problems: ["USERNAME_TAKEN", "DOCUMENT_QUOTA_EXCEEDED"],
});

export const getPublicUser = contract({
  operationId: "getPublicUser",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/public/{username}",
  summary: "Get a user's public profile by their username",
  description: "The public profile of a user, with declared fields that are `public`.",
  security: signInKey,
  params: { username },
  success: okAnswer("User found", "The profile.", {
    data: PublicUser,
    example: PUBLIC_USER_EXAMPLE,
  }),
  problems: ["USER_NOT_FOUND"],
});

export const USER_EMAIL = {
  signUp,
  logIn,
  verifyEmail,
  resendVerification,
  requestPasswordReset,
  resetPassword,
  changeUserPassword,
  requestCode,
  verifyCode,
  changeEmail,
  confirmEmailChange,
  signInAnonymously,
  updateProfile,
  getPublicUser,
};
