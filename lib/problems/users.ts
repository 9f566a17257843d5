/** What only sign-in by e-mail and what users set refuse for; part of the one catalogue. */
export const USER_PROBLEMS = {
  INVALID_CODE: {
    status: 400,
    message: "The code is not valid: check it, or ask for a new one.",
    when: "The code is wrong, used, expired, replaced by a newer one, or for something else; or " +
      "five wrong ones came before.",
    remedy: "Enter the newest code of the mails, within ten minutes, or ask for another " +
      "one.",
  },
  WRONG_PASSWORD: {
    status: 400,
    message: "This is not the present password.",
    when: "The password that a change asks for is another one, or the user has none yet.",
    remedy: "Enter the password that is used to sign in. A user without one sets it with " +
      "a code: `POST /api/userAuth/reset-password`.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "There is no user with this e-mail, their password is another one, or they are disabled.",
    remedy: "Check the e-mail and the password, or reset it by e-mail. The answer is the " +
      "same for unknown, wrong and disabled.",
  },
  SIGN_UP_CLOSED: {
    status: 403,
    message: "This project takes no new users.",
    when: "A new user would be made in a project whose `signUp` is closed.",
    remedy: "Ask whoever runs the project to create the user, or set `signUp` to `open` " +
      "in its sign-in settings.",
  },
  SIGN_IN_METHOD_OFF: {
    status: 403,
    message: "This project does not offer this way to sign in.",
    when: "The project's `auth` settings switch off this way to sign in.",
    remedy: "Use another way to sign in, or switch this one on in the project's sign-in " +
      "settings.",
  },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message: "The e-mail is not verified yet: enter the code that was sent to it.",
    when:
      "The password is right, but the project requires a verified e-mail, and this one is not; " +
      "a new code was sent.",
    remedy: "Enter the code of the mail (`POST /api/userAuth/verify-email`), then sign in " +
      "again.",
  },
  USERNAME_TAKEN: {
    status: 409,
    message: "Another user has this username.",
    when: "A username is taken; letter case makes no difference.",
    remedy: "Choose another username.",
  },
} as const;
