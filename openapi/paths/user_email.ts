import { answered } from "../answers.ts";
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
import { EMAIL_VERIFIED, SAME_ANSWER, told } from "../told.ts";

const TAG = "E-mail sign-in";

const SETS_COOKIE = {
  "set-cookie": "Holds the refresh token, for browsers. Left out with `x-refresh-token-mode: " +
    "header`, and for an origin from which the cookie would not count.",
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
  description: "Makes a user and signs them in; a code to verify the address is sent, where the " +
    "server or the project can send mail. With the bearer of an anonymous user it is that user who " +
    "gets the address and the password, and keeps their id and documents.\n\n" +
    "Where the project's `requireVerifiedEmail` is on, nobody is signed in yet, and the answer is " +
    "the same for an address that somebody has already: its mailbox is told. Elsewhere that is 409.",
  security: signUpKey,
  headers: { "x-refresh-token-mode": refreshTokenMode, "accept-language": acceptLanguage },
  body: { schema: SignUp, example: SIGN_UP_EXAMPLE, description: "Who signs up." },
  success: [{
    ...session(201, "A session, or that the e-mail must be verified first.", "Signed up"),
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
  description: "An unknown e-mail, a wrong password and a disabled user are one answer, in one " +
    "time. After some wrong passwords each further try must wait, longer every time.",
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
  description: "Takes the code that signing up sent, or the newest that was sent since. Send the " +
    "user's access token, or the password that they signed up with. Without either the code proves " +
    "the mailbox, but not that its owner signed up: then the password, providers and sessions that " +
    "the user had are dropped. A wrong password does not use the code up, but costs a try.",
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
    told(
      "A code is sent, if there is somebody to verify.",
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
    told(
      "A code is sent, if a user has the address.",
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
  description:
    "Sets a password, also a user's first. All their sessions end, and their other codes " +
    "are good no more. Whoever has the code has the mailbox: the address counts as verified.",
  security: signInKey,
  body: {
    schema: PasswordReset,
    example: { email: "ada@example.com", otp: "174503", newPassword: "an analytical engine no. 3" },
    description: "The address, its code and the new password.",
  },
  success: [told("The password is set.", "Password reset")],
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
  description: "All their other sessions end. A user without a password sets one with a code, by " +
    "`reset-password`.",
  security: changingUser,
  body: {
    schema: UserPasswordChange,
    example: {
      currentPassword: "a difference engine no. 2",
      newPassword: "an analytical engine no. 3",
    },
    description: "The present password and the new one.",
  },
  success: [told("The password is changed.", "Password changed")],
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
  description:
    `${SAME_ANSWER} Where the project takes new users, an address that nobody has gets ` +
    "one, too.",
  security: signInKey,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailAddress,
    example: { email: "ada@example.com" },
    description: "The address.",
  },
  success: [
    told(
      "A code is sent, if somebody can sign in with it.",
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
  description: "Makes a user where nobody has the address. One whose address nobody had proved " +
    "before loses the password and the sessions that they had: somebody else may have signed up " +
    "with it.",
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
  description:
    "Nothing changes before the code is confirmed. The answer is the same where somebody " +
    "has that address already; then nothing is sent.",
  security: changingUser,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailChange,
    example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
    description: "The next address, and the password of a user who has one.",
  },
  success: [
    told(
      "A code is sent, if nobody has the address.",
      "If nobody has this e-mail, a code is on its way",
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
  description: "The address before is told, if it was verified and mail can be sent.",
  security: changingUser,
  headers: { "accept-language": acceptLanguage },
  body: {
    schema: EmailChangeCode,
    example: { otp: "174503" },
    description: "The code that was sent to the next address.",
  },
  success: [told("The user has the address, verified.", "E-mail changed")],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "EMAIL_TAKEN"],
});

export const signInAnonymously = contract({
  operationId: "signInAnonymously",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/anonymous",
  summary: "Sign somebody in without telling who they are",
  description: "Makes a user without an e-mail, where the project's `anonymous` is on. When they " +
    "sign up later, with this session's access token, they keep their id and documents.",
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
  description: "For clients that know this address. The e-mail is changed by `change-email`.",
  security: changingUser,
  body: {
    schema: UserChanges,
    example: { name: "Ada Lovelace" },
    description: "At least one of the members, or a declared field.",
  },
  success: answered("User changed", "The user as they are now.", {
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
  description: "What everybody may see of a user, and declared fields that are `public`.",
  security: signInKey,
  params: { username },
  success: answered("User found", "The profile.", {
    data: PublicUser,
    example: PUBLIC_USER_EXAMPLE,
  }),
  problems: ["USER_NOT_FOUND"],
});

/** In the order of the reference. */
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
