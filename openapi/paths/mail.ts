import {
  FREE_MAILS,
  MAIL_BODY_BYTES_MAX,
  MAIL_LOG_DAYS,
  MAIL_RECIPIENTS_MAX,
  PRO_MAILS,
} from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { pageQuery } from "../parameters.ts";
import {
  LOGGED_MAIL_EXAMPLE,
  MAIL_EXAMPLE,
  MailInput,
  MailLog,
  SENT_MAILS_EXAMPLE,
  SentMails,
} from "../schemas/mail.ts";
import { secretKey } from "../security.ts";

const TAG = "Mail";

export const sendMail = contract({
  operationId: "sendMail",
  tag: TAG,
  method: "post",
  path: "/api/mail/send",
  summary: "Send mail from your server",
  description: `To one address or up to ${MAIL_RECIPIENTS_MAX}, each a mail of its own. They are ` +
    "stored, and then sent in the background: the log tells what became of them. By the platform's " +
    `server a project on the free plan sends ${FREE_MAILS} a month (UTC), on pro ${PRO_MAILS}; ` +
    "either all addresses have room, or none gets a mail. What fails in the end is given back. By " +
    "a server of the project's own there is no such limit.",
  security: secretKey,
  body: {
    schema: MailInput,
    example: MAIL_EXAMPLE,
    description: "The mail, or which template, and to whom.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: answered("Mail queued", "They are stored, and about to be sent.", {
    data: SentMails,
    example: SENT_MAILS_EXAMPLE,
  }),
  problems: ["MAIL_TEMPLATE_NOT_FOUND", "MAIL_QUOTA_EXCEEDED", "MAIL_NOT_CONFIGURED"],
});

export const listMails = contract({
  operationId: "listMails",
  tag: TAG,
  method: "get",
  path: "/api/mail/logs",
  summary: "List mails for your server",
  description: `Mails of the last ${MAIL_LOG_DAYS} days, the newest first: those of sign-in, and ` +
    "those that an application has sent. What they say is not shown.",
  security: secretKey,
  query: pageQuery,
  success: answered("Mails listed", "A page of mails.", {
    data: MailLog,
    example: { items: [LOGGED_MAIL_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

/** In the order of the reference. */
export const MAIL = { sendMail, listMails };
