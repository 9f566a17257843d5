import { ACCOUNT_TOKENS_MAX, WRONG_CODES_PER_HOUR } from "../limits.ts";

/** What only the operations of accounts refuse for; part of the one catalogue. */
export const ACCOUNT_PROBLEMS = {
  INVALID_PASSWORD: {
    status: 400,
    message: "This password cannot be chosen.",
    when: "A chosen password is too short, too long, or among those that are guessed first.",
    remedy: "Choose a longer password that is not among the common ones. The message says " +
      "which rule it broke.",
  },
  SIGN_IN_REQUIRED: {
    status: 401,
    message: "Sign in to the dashboard first.",
    when: "There is no dashboard session, or it has ended.",
    remedy: "Sign in at `/dashboard`, or by `POST /api/auth/login`, and send the " +
      "session's cookie along.",
  },
  CREDENTIALS_INVALID: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "There is no account with this e-mail, or its password is another one.",
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
    message: "The personal access token does not reach as far as this.",
    when: "The token may only read, or is not for this project; the message says what it lacks.",
    remedy: "Create a token with the scope that the message names, for this project or for all.",
  },
  SESSION_REQUIRED: {
    status: 403,
    message: "No personal access token may do this: sign in to the dashboard.",
    when: "A personal access token is sent where the account itself is managed.",
    remedy: "Do it in the dashboard, or send the session's cookie of `POST /api/auth/login`.",
  },
  REGISTRATION_INVITED: {
    status: 403,
    message: "Registering takes an invitation here: open the link of yours, or ask for a new one.",
    when: "Registering takes an invitation, and there is none, or it is not valid or was used to " +
      "register before.",
    remedy: "Open the link of your invitation, or ask whoever runs the server, or a " +
      "project's member, for a new one.",
  },
  REGISTRATION_CLOSED: {
    status: 403,
    message: "Nobody can register here: whoever runs this server makes the accounts.",
    when: "The server takes no registrations.",
    remedy: "Ask whoever runs the server for an account. They make one by `deno task " +
      "admin account create`.",
  },
  PASSWORD_WRONG: {
    status: 403,
    message: "This is not the account's present password.",
    when: "The password that a change asks for is another one.",
    remedy: "Enter the password that you sign in with at present. Who has forgotten it " +
      "resets it by e-mail.",
  },
  ACCOUNT_NOT_FOUND: {
    status: 404,
    message: "There is no account with this e-mail.",
    when: "Nobody has registered with this e-mail.",
    remedy: "Check the e-mail's spelling, or create the account first.",
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    message: "There is no such token.",
    when: "The token does not exist, has expired, or is somebody else's.",
    remedy: "List the tokens again. One that is not there any more needs no deleting.",
  },
  ACCOUNT_EXISTS: {
    status: 409,
    message: "An account with this e-mail exists already: sign in.",
    when:
      "Somebody registers with an e-mail that is taken, or confirms one that was taken meanwhile.",
    remedy: "Sign in with this e-mail, or reset its password.",
  },
  ACCOUNT_OWNS_PROJECTS: {
    status: 409,
    message: "The account owns projects: delete them, or give them to somebody else, first.",
    when: "An account is deleted while it is the owner of a project; the message has their number.",
    remedy: "Delete each project, or offer it to another member and wait until they " +
      "accept. Then delete the account.",
  },
  TOKEN_LIMIT_REACHED: {
    status: 409,
    message:
      `An account has at most ${ACCOUNT_TOKENS_MAX} personal access tokens: delete one first.`,
    when: `An account with ${ACCOUNT_TOKENS_MAX} personal access tokens creates another one.`,
    remedy: "Delete tokens that no program uses any more, then create the new one.",
  },
  SIGN_IN_LOCKED: {
    status: 429,
    message: "Too many wrong passwords or codes: wait as long as Retry-After says.",
    when:
      "Wrong passwords came from this address for this account, or for it from everywhere; or " +
      `${WRONG_CODES_PER_HOUR} wrong codes for all within an hour.`,
    remedy: "Wait as many seconds as `Retry-After` says. Resetting the password by e-mail " +
      "is the way for who has forgotten it.",
  },
  PASSWORDS_BUSY: {
    status: 503,
    message:
      "Too many passwords are being checked at the moment: wait as long as Retry-After says.",
    when:
      "As many requests of this network, or of all, as are admitted wait for a password to be " +
      "hashed; nothing was done, and no try is counted.",
    remedy: "Repeat it after `Retry-After`. It passes by itself, and counts as no wrong " +
      "try.",
  },
} as const;
