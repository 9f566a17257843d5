/** What only sign-in by e-mail and what users set refuse for; part of the one catalogue. */
export const USER_PROBLEMS = {
  INVALID_CODE: {
    status: 400,
    message: "The code is not valid: check it, or ask for a new one.",
    when: "The code is wrong, used, expired, replaced by a newer one, or for something else; or " +
      "five wrong ones came before.",
  },
  WRONG_PASSWORD: {
    status: 400,
    message: "This is not the present password.",
    when: "The password that a change asks for is another one, or the user has none yet.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The e-mail or the password is not right.",
    when: "There is no user with this e-mail, their password is another one, or they are disabled.",
  },
  SIGN_UP_CLOSED: {
    status: 403,
    message: "This project takes no new users.",
    when: "A new user would be made in a project whose `signUp` is closed.",
  },
  SIGN_IN_METHOD_OFF: {
    status: 403,
    message: "This project does not offer this way to sign in.",
    when: "The project's `auth` settings switch off this way to sign in.",
  },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message: "The e-mail is not verified yet: enter the code that was sent to it.",
    when:
      "The password is right, but the project requires a verified e-mail, and this one is not; " +
      "a new code was sent.",
  },
  USERNAME_TAKEN: {
    status: 409,
    message: "Another user has this username.",
    when: "A username is taken; letter case makes no difference.",
  },
} as const;
