import { ACCOUNT_TOKENS_MAX, WRONG_CODES_PER_HOUR } from "../limits.ts";

/** Problems of accounts, part of `PROBLEMS`. */
export const ACCOUNT_PROBLEMS = {
  INVALID_PASSWORD: {
    status: 400,
    message: "This password cannot be chosen.",
    when: "The chosen password is too short, too long or too common.",
    remedy: "Choose a longer password that is not common. The message names the rule that it " +
      "breaks.",
  },
  SIGN_IN_REQUIRED: {
    status: 401,
    message: "Sign in to the dashboard first.",
    when: "There is no dashboard session, or it has ended.",
    remedy: "Sign in at `/dashboard` or by `POST /api/auth/login`, and send the session's cookie.",
  },
  CREDENTIALS_INVALID: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "No account has this e-mail, or the password is wrong.",
    remedy: "Check the e-mail and the password, or reset the password by e-mail.",
  },
  ACCOUNT_TOKEN_INVALID: {
    status: 401,
    message: "The personal access token is not valid: create a new one on your account's page.",
    when: "The personal access token is malformed, unknown, expired or deleted.",
    remedy: "Create a new token on the account's page of the dashboard, and send it as " +
      "`Authorization: Bearer <token>`.",
  },
  TOKEN_SCOPE_EXCEEDED: {
    status: 403,
    message: "The personal access token does not allow this.",
    when: "The token may only read, or is for other projects; the message names the missing scope.",
    remedy: "Create a token with the scope that the message names, for this project or for all " +
      "projects.",
  },
  SESSION_REQUIRED: {
    status: 403,
    message: "Personal access tokens cannot do this: sign in to the dashboard.",
    when: "A personal access token was used for an operation that manages the account.",
    remedy: "Use the dashboard, or send the session's cookie of `POST /api/auth/login`.",
  },
  REGISTRATION_INVITED: {
    status: 403,
    message: "Registration requires an invitation: open the link of yours, or ask for a new one.",
    when:
      "Registration requires an invitation, and the request has none, or one that is not valid " +
      "or was used before.",
    remedy:
      "Open the link of your invitation, or ask the server's operator or a project's member " +
      "for a new one.",
  },
  REGISTRATION_CLOSED: {
    status: 403,
    message: "Registration is closed: ask the server's operator for an account.",
    when: "The server accepts no registrations.",
    remedy: "Ask the server's operator for an account. They create one with `deno task admin " +
      "account create`.",
  },
  PASSWORD_WRONG: {
    status: 403,
    message: "This is not the account's current password.",
    when: "The current password that was sent with a change is wrong.",
    remedy: "Enter the password that you use to sign in. If you have forgotten it, reset it by " +
      "e-mail.",
  },
  ACCOUNT_NOT_FOUND: {
    status: 404,
    message: "There is no account with this e-mail.",
    when: "No account has this e-mail.",
    remedy: "Check the spelling of the e-mail, or create the account first.",
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    message: "There is no such token.",
    when: "The token does not exist, has expired, or belongs to another account.",
    remedy: "List the tokens again. A token that is not in the list need not be deleted.",
  },
  ACCOUNT_EXISTS: {
    status: 409,
    message: "An account with this e-mail exists already: sign in.",
    when: "A registration or a change of e-mail uses an e-mail that another account has.",
    remedy: "Sign in with this e-mail, or reset its password.",
  },
  ACCOUNT_OWNS_PROJECTS: {
    status: 409,
    message: "The account owns projects: first delete them, or transfer them to another member.",
    when: "An account that owns projects is deleted; the message has their number.",
    remedy: "Delete each project, or offer it to another member and wait until they accept. Then " +
      "delete the account.",
  },
  TOKEN_LIMIT_REACHED: {
    status: 409,
    message:
      `An account has at most ${ACCOUNT_TOKENS_MAX} personal access tokens: delete one first.`,
    when: `An account with ${ACCOUNT_TOKENS_MAX} personal access tokens creates another one.`,
    remedy: "Delete tokens that are no longer used, then create the new one.",
  },
  SIGN_IN_LOCKED: {
    status: 429,
    message: "Too many wrong passwords or codes: wait as long as Retry-After says.",
    when:
      "Too many wrong passwords were sent for this account, from this address or in total, or " +
      `${WRONG_CODES_PER_HOUR} wrong codes in total within an hour.`,
    remedy:
      "Wait as many seconds as `Retry-After` says. If you have forgotten the password, reset " +
      "it by e-mail.",
  },
  PASSWORDS_BUSY: {
    status: 503,
    message:
      "Too many passwords are being checked at the moment: wait as long as Retry-After says.",
    when:
      "The maximum number of requests, of this network or in total, wait for a password to be " +
      "hashed. Nothing was done, and no try is counted.",
    remedy: "Repeat the request after `Retry-After`. It does not count as a wrong try.",
  },
} as const;
