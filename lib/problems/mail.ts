/** Problems of mail, part of `PROBLEMS`. */
export const MAIL_PROBLEMS = {
  MAIL_TEMPLATE_NOT_FOUND: {
    status: 404,
    message: "The project has no such mail template.",
    when: "The project has no template of this name, language or id.",
    remedy: "List the templates, and use a name and a language of the list.",
  },
  MAIL_NOT_FOUND: {
    status: 404,
    message: "There is no such mail: mails are kept for 30 days.",
    when: "The mail does not exist in the project, or was removed after its 30 days.",
    remedy: "Read the log of mails, and use an id of the log.",
  },
  MAIL_NOT_RESENDABLE: {
    status: 409,
    message: "Only a failed mail without a code can be sent again: ask for a new code.",
    when: "The mail has not failed, or its text was removed because it had a code.",
    remedy: "Ask for a new code, or send a new mail with the same content.",
  },
  MAIL_TEMPLATE_LIMIT_REACHED: {
    status: 409,
    message: "The project has the maximum number of mail templates: delete one first.",
    when: "A project with 100 templates creates another one.",
    remedy: "Delete templates that are no longer used.",
  },
  MAIL_SERVER_REFUSED: {
    status: 422,
    message: "The mail server refused the mail.",
    when: "The mail server of the project answers with an SMTP code 5xx, for example because the " +
      "password is wrong; the message has its answer.",
    remedy: "Correct the setting that the server's answer names: user, password, or sender.",
  },
  MAIL_SERVER_UNREACHABLE: {
    status: 422,
    message: "The mail server did not take the mail.",
    when:
      "The mail server of the project cannot be reached, has no trusted certificate, closed the " +
      "connection, or asks to wait with an SMTP code 4xx; the message says which.",
    remedy: "Check host, port and TLS in the project's mail settings. Port 587 uses STARTTLS, " +
      "port 465 `smtps://`.",
  },
  MAIL_QUOTA_EXCEEDED: {
    status: 429,
    message: "The project has sent as many mails this month as its plan allows.",
    when: "The mail would exceed the plan's recipients in this month (UTC) with the platform's " +
      "server, the limit of 1,000 queued mails, or the plan's space; the message says which. " +
      "Nothing was sent.",
    remedy: "Wait for the next month, set the project's own mail server, or change to a larger " +
      "plan.",
  },
  MAIL_NOT_CONFIGURED: {
    status: 503,
    message: "Neither the project nor this server has a mail server: set one for the project.",
    when: "A mail must be sent, and neither the project nor the platform (`MAIL_URL`) has a mail " +
      "server.",
    remedy: "Set a mail server for the project, or ask the server's operator to set `MAIL_URL` " +
      "and `MAIL_FROM`.",
  },
} as const;
