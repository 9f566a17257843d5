/** Problems of sign-in by e-mail and of user profiles, part of `PROBLEMS`. */
export const USER_PROBLEMS = {
  INVALID_CODE: {
    status: 400,
    message: "The code is not valid: check it, or ask for a new one.",
    when: "The code is wrong, used, expired, replaced by a newer one, for another purpose, or " +
      "invalid after five wrong tries.",
    remedy: "Enter the code of the latest mail within ten minutes, or ask for a new one.",
  },
  WRONG_PASSWORD: {
    status: 400,
    message: "This is not the current password.",
    when: "The current password that was sent with a change is wrong, or the user has no password.",
    remedy: "Enter the password that is used to sign in. A user without a password sets one with " +
      "a code: `POST /api/userAuth/reset-password`.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "No user has this e-mail, the password is wrong, or the user is disabled.",
    remedy: "Check the e-mail and the password, or reset the password by e-mail. The answer does " +
      "not reveal which of the causes applies.",
  },
  SIGN_UP_CLOSED: {
    status: 403,
    message: "This project takes no new users.",
    when: "A sign-in would create a user in a project whose `signUp` is closed.",
    remedy: "Ask the project's members to create the user, or set `signUp` to `open` in its " +
      "sign-in settings.",
  },
  SIGN_IN_METHOD_OFF: {
    status: 403,
    message: "This project does not offer this way to sign in.",
    when: "The project's `auth` settings disable this way to sign in.",
    remedy: "Use another way to sign in, or enable this one in the project's sign-in settings.",
  },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message: "The e-mail is not verified yet: enter the code that was sent to it.",
    when: "The password is right, but the project requires a verified e-mail and this e-mail is " +
      "not verified; a new code was sent.",
    remedy: "Enter the code of the mail (`POST /api/userAuth/verify-email`), then sign in " +
      "again.",
  },
  USERNAME_TAKEN: {
    status: 409,
    message: "Another user has this username.",
    when: "Another user has the username; letter case makes no difference.",
    remedy: "Choose another username.",
  },
} as const;
