import { ACCOUNT_TOKENS_MAX } from "../limits.ts";

/** What only the operations of accounts refuse for; part of the one catalogue. */
export const ACCOUNT_PROBLEMS = {
  INVALID_PASSWORD: {
    status: 400,
    message: "This password cannot be chosen.",
    when: "A chosen password is too short, too long, or among those that are guessed first.",
  },
  SIGN_IN_REQUIRED: {
    status: 401,
    message: "Sign in to the dashboard first.",
    when: "There is no dashboard session, or it has ended.",
  },
  CREDENTIALS_INVALID: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "There is no account with this e-mail, or its password is another one.",
  },
  ACCOUNT_TOKEN_INVALID: {
    status: 401,
    message: "The personal access token is not valid: create a new one on your account's page.",
    when: "The personal access token is malformed, unknown, expired or deleted.",
  },
  TOKEN_SCOPE_EXCEEDED: {
    status: 403,
    message: "The personal access token does not reach as far as this.",
    when: "The token may only read, or is not for this project; the message says what it lacks.",
  },
  SESSION_REQUIRED: {
    status: 403,
    message: "No personal access token may do this: sign in to the dashboard.",
    when: "A personal access token is sent where the account itself is managed.",
  },
  REGISTRATION_INVITED: {
    status: 403,
    message: "Registering takes an invitation here: open the link of yours, or ask for a new one.",
    when: "Registering takes an invitation, and there is none, or it is not valid or was used to " +
      "register before.",
  },
  REGISTRATION_CLOSED: {
    status: 403,
    message: "Nobody can register here: whoever runs this server makes the accounts.",
    when: "The server takes no registrations.",
  },
  PASSWORD_WRONG: {
    status: 403,
    message: "This is not the account's present password.",
    when: "The password that a change asks for is another one.",
  },
  ACCOUNT_NOT_FOUND: {
    status: 404,
    message: "There is no account with this e-mail.",
    when: "Nobody has registered with this e-mail.",
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    message: "There is no such token.",
    when: "The token does not exist, has expired, or is somebody else's.",
  },
  ACCOUNT_EXISTS: {
    status: 409,
    message: "An account with this e-mail exists already: sign in.",
    when: "Somebody registers with an e-mail that is taken.",
  },
  ACCOUNT_OWNS_PROJECTS: {
    status: 409,
    message: "The account owns projects: delete them, or give them to somebody else, first.",
    when: "An account is deleted while it is the owner of a project; the message has their number.",
  },
  TOKEN_LIMIT_REACHED: {
    status: 409,
    message:
      `An account has at most ${ACCOUNT_TOKENS_MAX} personal access tokens: delete one first.`,
    when: `An account with ${ACCOUNT_TOKENS_MAX} personal access tokens creates another one.`,
  },
  SIGN_IN_LOCKED: {
    status: 429,
    message: "Too many wrong passwords: wait as long as Retry-After says.",
    when: "Wrong passwords came from this address for this account, or for it from everywhere.",
  },
  PASSWORDS_BUSY: {
    status: 503,
    message:
      "Too many passwords are being checked at the moment: wait as long as Retry-After says.",
    when:
      "As many requests of this network, or of all, as are admitted wait for a password to be " +
      "hashed; nothing was done, and no try is counted.",
  },
} as const;
