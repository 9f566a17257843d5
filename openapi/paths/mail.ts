import {
  FREE_MAILS,
  MAIL_BODY_BYTES_MAX,
  MAIL_LOG_DAYS,
  MAIL_RECIPIENTS_MAX,
  PRO_MAILS,
} from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
  description: `Sends a mail to each of up to ${MAIL_RECIPIENTS_MAX} addresses. Mails are stored ` +
    "and sent in the background; the log has their states. Through the platform's server, a " +
    `project on the free plan sends ${FREE_MAILS} a month (UTC), on pro ${PRO_MAILS}; if the ` +
    "limit does not allow all addresses, no mail is sent. Mails that finally fail do not count. " +
    "A project's own server has no such limit.",
  security: secretKey,
  body: {
    schema: MailInput,
    example: MAIL_EXAMPLE,
    description: "The mail or its template, and the recipients.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: okAnswer("Mail queued", "The mails are stored and queued.", {
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
  description: `Mails of the last ${MAIL_LOG_DAYS} days, newest first, from sign-in and from ` +
    "applications, without their content.",
  security: secretKey,
  query: pageQuery,
  success: okAnswer("Mails listed", "A page of mails.", {
    data: MailLog,
    example: { items: [LOGGED_MAIL_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const MAIL = { sendMail, listMails };
