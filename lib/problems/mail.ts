/** What only mail is refused for; part of the one catalogue. */
export const MAIL_PROBLEMS = {
  MAIL_TEMPLATE_NOT_FOUND: {
    status: 404,
    message: "The project has no such mail template.",
    when: "The project has no template of this name, language or id.",
    remedy: "List the templates, and use a name and a language that stand there.",
  },
  MAIL_NOT_FOUND: {
    status: 404,
    message: "There is no such mail: mails are kept for 30 days.",
    when: "The mail does not exist in the project, or was removed after its 30 days.",
    remedy: "Read the log of mails, and use an id that stands there.",
  },
  MAIL_NOT_RESENDABLE: {
    status: 409,
    message:
      "Only a mail that has failed can be sent again, and none with a code: ask for a new one.",
    when: "The mail has not failed, or its text was removed because it had a code.",
    remedy: "Ask for a new code, or send a new mail with the same content.",
  },
  MAIL_TEMPLATE_LIMIT_REACHED: {
    status: 409,
    message: "The project has as many mail templates as it may: delete one first.",
    when: "A project with 100 templates makes another one.",
    remedy: "Delete templates that are not used any more.",
  },
  MAIL_SERVER_REFUSED: {
    status: 422,
    message: "The mail server refused the mail.",
    when:
      "The mail server of the project answers by SMTP's 5xx, to the user's password, say; the " +
      "message has its answer.",
    remedy: "Correct what the server's answer names: user, password, or the address that " +
      "mails come from.",
  },
  MAIL_SERVER_UNREACHABLE: {
    status: 422,
    message: "The mail server did not take the mail.",
    when:
      "The mail server of the project cannot be reached, has no TLS that can be trusted, broke " +
      "off, or asks to wait by SMTP's 4xx; the message says which.",
    remedy: "Check host, port and TLS in the project's mail settings. Port 587 begins " +
      "with STARTTLS, 465 is `smtps://`.",
  },
  MAIL_QUOTA_EXCEEDED: {
    status: 429,
    message: "The project has sent as many mails this month as its plan allows.",
    when:
      "The recipients of a mail would be more than the plan allows in this month (UTC), by the " +
      "platform's server, more than 1,000 would wait to be sent, or the plan has no room for " +
      "them; the message says which. Nothing was sent.",
    remedy: "Wait for the next month, set a mail server of the project's own, or change " +
      "to a larger plan.",
  },
  MAIL_NOT_CONFIGURED: {
    status: 503,
    message: "Neither the project nor this server has a mail server: set one for the project.",
    when: "A mail must be sent, and neither the project has a server of its own nor the platform " +
      "one (`MAIL_URL`).",
    remedy: "Set a mail server for the project, or ask whoever runs the server to set " +
      "`MAIL_URL` and `MAIL_FROM`.",
  },
} as const;
