import { z } from "@hono/zod-openapi";
import { EMAIL_PATTERN, isPlainEmail } from "@/lib/emails.ts";
import { ID } from "@/lib/ids.ts";
import {
  MAIL_BODY_LENGTH_MAX,
  MAIL_LOG_DAYS,
  MAIL_RECIPIENTS_MAX,
  MAIL_SUBJECT_LENGTH_MAX,
  MAIL_VARIABLE_LENGTH_MAX,
  MAIL_VARIABLES_MAX,
} from "@/lib/limits.ts";
import { MAIL_KINDS, PROJECT_MAIL_KINDS } from "@/lib/mail/mails.ts";
import { TEMPLATE_NAME } from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { VARIABLE_NAME } from "@/lib/mail/templates.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { parseMailbox, parseSmtpUrl } from "@/lib/text/mail_addresses.ts";
import { textProblem } from "@/lib/text/input_text.ts";
import { bodyOf, WITHOUT_NUL_PATTERN } from "../inputs.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const rule = (name: string, must: string): string => `"${name}" ${must}.`;

/** Returns the schema of one plain address, which cannot contain a line break. */
const address = (name: string, must = "must be one plain e-mail address") => {
  const error = rule(name, must);
  return z.string({ error }).refine(isPlainEmail, error).openapi({ pattern: EMAIL_PATTERN });
};

const SUBJECT = rule("subject", `must be one line of 1 to ${MAIL_SUBJECT_LENGTH_MAX} characters`);
const LINE = "[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]";
const SUBJECT_PATTERN = `^${LINE}*[^\\s\\u0000-\\u001f\\u007f-\\u009f]${LINE}*$`;
const SUBJECT_TEXT = new RegExp(SUBJECT_PATTERN);
const isSubject = (text: string): boolean =>
  text.length <= MAIL_SUBJECT_LENGTH_MAX && SUBJECT_TEXT.test(text) && text.isWellFormed();

const subject = z.string({ error: SUBJECT }).refine(isSubject, SUBJECT).openapi({
  minLength: 1,
  maxLength: MAIL_SUBJECT_LENGTH_MAX,
  pattern: SUBJECT_PATTERN,
  description: "A single line.",
});

const content = (name: string, description: string) => {
  const error = rule(name, `must be text of 1 to ${MAIL_BODY_LENGTH_MAX} characters without NUL`);
  const isFit = (text: string) =>
    text !== "" && text.length <= MAIL_BODY_LENGTH_MAX && textProblem(text) === null;
  return z.string({ error }).refine(isFit, error).optional()
    .openapi({
      minLength: 1,
      maxLength: MAIL_BODY_LENGTH_MAX,
      pattern: WITHOUT_NUL_PATTERN,
      description,
    });
};

const html = content("html", "Content for mail programs that show HTML.");
const text = content("text", "Content for other mail programs; derived from the HTML if left out.");

const VARIABLES = rule(
  "variables",
  `must be an object of at most ${MAIL_VARIABLES_MAX} members: names of letters, digits and _ ` +
    `with texts of at most ${MAIL_VARIABLE_LENGTH_MAX} characters, numbers, true or false`,
);
const isVariableText = (text: string): boolean =>
  text.length <= MAIL_VARIABLE_LENGTH_MAX && textProblem(text) === null;

const variables = z.record(
  z.string().regex(VARIABLE_NAME, VARIABLES),
  z.union([
    z.string().refine(isVariableText, VARIABLES).openapi({
      maxLength: MAIL_VARIABLE_LENGTH_MAX,
      pattern: WITHOUT_NUL_PATTERN,
    }),
    z.number(),
    z.boolean(),
  ], { error: VARIABLES }),
  { error: VARIABLES },
)
  .refine((given) => Object.keys(given).length <= MAIL_VARIABLES_MAX, VARIABLES)
  .transform((given) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
  )
  .openapi({ maxProperties: MAIL_VARIABLES_MAX })
  .optional();

/** Approximate pattern of a language tag, which also matches texts that are not languages. */
export const LANGUAGE_PATTERN = "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$";
const LANGUAGE = rule("language", 'must name a language, as "en" or "pt-BR"');

/** Returns the schema of a language, which it converts to its canonical form. */
const language = (error: string) =>
  z.string({ error }).transform((text, context) => {
    const canonical = canonicalLanguage(text);
    if (canonical === null) context.addIssue(error);
    return canonical ?? z.NEVER;
  }).openapi({ pattern: LANGUAGE_PATTERN, example: "pt-BR" });

const TEMPLATE = rule(
  "templateName",
  "must be 1 to 50 letters, digits and -, and begin with a small letter",
);
const TEMPLATE_ID = rule("templateId", "must be 24 hexadecimal digits");
const TO = `must be one plain e-mail address, or 1 to ${MAIL_RECIPIENTS_MAX} of them`;
const CONTENT = 'Send a "subject" with "html" or "text" or both, or one of "templateName" and ' +
  '"templateId", without "html" and "text".';

export const MAIL_EXAMPLE = {
  to: "ada@example.com",
  subject: "Your order {{number}}",
  text: "Thank you, {{name}}. It is on its way.",
  variables: { number: "42", name: "Ada" },
};

interface GivenContent {
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly templateName?: string | undefined;
  readonly templateId?: string | undefined;
}

function isComplete({ subject, html, text, templateName, templateId }: GivenContent): boolean {
  const hasContent = html !== undefined || text !== undefined;
  const templates = [templateName, templateId].filter((one) => one !== undefined).length;
  return hasContent ? templates === 0 && subject !== undefined : templates === 1;
}

export const MailInput = bodyOf({
  to: z.union([
    address("to", TO),
    z.array(address("to", TO)).min(1, rule("to", TO)).max(MAIL_RECIPIENTS_MAX, rule("to", TO)),
  ], { error: rule("to", TO) })
    .transform((to) => typeof to === "string" ? [to] : to)
    .openapi({ description: "Each address gets its own mail and does not see the others." }),
  subject: subject.optional().openapi({ description: "With a template, replaces its subject." }),
  html,
  text,
  templateName: z.string({ error: TEMPLATE }).regex(TEMPLATE_NAME, TEMPLATE).optional()
    .openapi({ description: "One of the project's own templates, instead of texts." }),
  templateId: z.string({ error: TEMPLATE_ID }).regex(ID, TEMPLATE_ID).optional()
    .openapi({ description: "One of the project's own templates, by its id." }),
  language: language(LANGUAGE).optional().openapi({
    description: "Language of the template; the project's `mailLanguage` if left out.",
  }),
  variables: variables.openapi({
    description: "Values of `{{name}}`, escaped in HTML. A missing variable is empty. Without " +
      "variables, `html` and `text` are sent unchanged.",
  }),
  replyTo: address("replyTo").optional().openapi({
    description: "Address for replies, if not the sender's.",
  }),
}).refine(isComplete, CONTENT).openapi("MailInput", { example: MAIL_EXAMPLE });

const provider = z.enum(["default", "byok"]).openapi({
  description: "`byok` is the project's own server, `default` the platform's.",
});

export const SENT_MAILS_EXAMPLE = {
  id: EXAMPLE_ID,
  ids: [EXAMPLE_ID],
  provider: "default" as const,
  monthlyUsage: 1,
  monthlyLimit: PLANS.free.mailsPerMonth,
};

export const SentMails = z.strictObject({
  id: id.openapi({ description: "Id in the mail log of the mail to the first address." }),
  ids: z.array(id).openapi({ description: "Ids of all mails, in the order of the addresses." }),
  provider,
  monthlyUsage: z.int().min(0).openapi({
    description: "Recipients of this month (UTC) through the platform's server, including these.",
  }),
  monthlyLimit: z.int().min(0).nullable().openapi({
    description: "Null if no plan limits it.",
  }),
}).openapi("SentMails", { example: SENT_MAILS_EXAMPLE });

export const LOGGED_MAIL_EXAMPLE = {
  id: EXAMPLE_ID,
  kind: "custom" as const,
  to: "ada@example.com",
  subject: "Your order 42",
  state: "sent" as const,
  provider: "default" as const,
  tries: 1,
  answer: "250 2.0.0 Ok: queued as 4XyZ",
  hasCode: false,
  createdAt: "2026-01-31T12:00:00.000Z",
  sentAt: "2026-01-31T12:00:01.000Z",
};

const logged = {
  id,
  kind: z.enum([...MAIL_KINDS, "custom"]).openapi({
    description: "`custom` is a mail that an application sent.",
  }),
  to: z.string(),
  subject: z.string().openapi({
    description: "The subject, except of mails with a code, because it may contain the code.",
  }),
  state: z.enum(["queued", "sent", "failed", "kept"]).openapi({
    description: "`kept`: the server does not send mail, as with `MAIL_URL=keep:`.",
  }),
  provider: provider.nullable(),
  tries: z.int().min(0).openapi({
    description: "Number of tries. Retries follow after 1, 5, 15, 60 and 240 minutes.",
  }),
  answer: z.string().nullable().openapi({
    description: "Last answer of the mail server, or the reason why it was not reached.",
  }),
  hasCode: z.boolean().openapi({
    description: "Whether the mail contains a code. If so, it cannot be sent again.",
  }),
  createdAt: time,
  sentAt: time.nullable(),
};

export const LoggedMail = z.strictObject(logged).openapi("LoggedMail", {
  description: `A mail of the last ${MAIL_LOG_DAYS} days, without its content.`,
  example: LOGGED_MAIL_EXAMPLE,
});

export const KEPT_MAIL_EXAMPLE = {
  ...LOGGED_MAIL_EXAMPLE,
  kind: "verify" as const,
  subject: "123456 is your code",
  state: "kept" as const,
  provider: null,
  tries: 0,
  answer: null,
  hasCode: true,
  sentAt: null,
  text: "Your code is 123456.",
  html: null,
};

export const KeptMail = z.strictObject({
  ...logged,
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
}).openapi("KeptMail", {
  description: "A mail that was kept instead of sent, with its content.",
  example: KEPT_MAIL_EXAMPLE,
});

export const MailLog = pageOf(LoggedMail, "MailLog", LOGGED_MAIL_EXAMPLE);

const OWN_SERVER_EXAMPLE = {
  host: "smtp.example.com",
  port: 587,
  from: "Blog <blog@example.com>",
  replyTo: null,
  hasPassword: true,
};

export const PROJECT_MAIL_EXAMPLE = { own: OWN_SERVER_EXAMPLE, mailLanguage: null };

export const ProjectMail = z.strictObject({
  own: z.strictObject({
    host: z.string(),
    port: z.int(),
    from: z.string(),
    replyTo: z.string().nullable(),
    hasPassword: z.boolean(),
  }).nullable().openapi({ description: "Null if the platform's server sends the mail." }),
  mailLanguage: z.string().nullable().openapi({
    description:
      "Language of mails if the recipient requests none that has templates; null for English.",
  }),
}).openapi("ProjectMail", {
  description: "Mail settings of a project. The password is never shown.",
  example: PROJECT_MAIL_EXAMPLE,
});

const URL_SAYS = rule(
  "url",
  "must be smtp://<user>:<password>@<host>:<port> or smtps://…, with user and password " +
    "percent-encoded, both or neither, and nothing after the port",
);
const FROM = rule("from", "must be one plain e-mail address, or Name <address>, in one line");

export const PROJECT_MAIL_INPUT_EXAMPLE = {
  url: "smtp://blog:a%20long%20password@smtp.example.com:587",
  from: "Blog <blog@example.com>",
};

export const ProjectMailInput = bodyOf({
  url: z.string({ error: URL_SAYS }).refine((text) => parseSmtpUrl(text) !== null, URL_SAYS)
    .optional().openapi({
      format: "uri",
      description: "`smtp://` uses STARTTLS and port 587 by default, `smtps://` uses TLS and " +
        "port 465. The host must be public, unless the server has `ALLOW_PRIVATE_ENDPOINTS`.",
    }),
  from: z.string({ error: FROM }).refine((text) => parseMailbox(text) !== null, FROM)
    .transform((text) => text.trim()).optional()
    .openapi({ description: "Sender of mails." }),
  replyTo: address("replyTo", "must be one plain e-mail address, or null").nullable().optional()
    .openapi({ description: "Address for replies; null for the sender's." }),
  mailLanguage: language(rule("mailLanguage", 'must name a language, as "en", or be null'))
    .nullable().optional().openapi({ description: "Null for English." }),
}).openapi("ProjectMailInput", { example: PROJECT_MAIL_INPUT_EXAMPLE });

export const CHECKED_MAIL_EXAMPLE = { to: "owner@example.com", answer: "250 2.0.0 Ok: queued" };

export const CheckedMail = z.strictObject({
  to: z.string().openapi({ description: "The address of the signed-in account." }),
  answer: z.string().openapi({ description: "Answer of the mail server." }),
}).openapi("CheckedMail", { example: CHECKED_MAIL_EXAMPLE });

const TEMPLATE_CONTENT_EXAMPLE = {
  subject: "{{code}} é o seu código",
  text: "O seu código para {{project}}: {{code}}",
};

const oneText = (template: GivenContent): boolean =>
  template.html !== undefined || template.text !== undefined;
const ONE_TEXT = 'Send "html" or "text" or both.';

const templateContent = { subject, html, text };

export const MailTemplateInput = bodyOf(templateContent).refine(oneText, ONE_TEXT)
  .openapi("MailTemplateInput", { example: TEMPLATE_CONTENT_EXAMPLE });

export const TEMPLATE_INPUT_EXAMPLE = TEMPLATE_CONTENT_EXAMPLE;

const NAME = rule("name", 'must name a template, as "code"');

export const MailPreviewInput = bodyOf({
  ...templateContent,
  name: z.string({ error: NAME }).regex(TEMPLATE_NAME, NAME).optional().openapi({
    description: "The template's name, which determines the sample of its link.",
  }),
  variables: variables.openapi({ description: "Values that replace the samples." }),
}).refine(oneText, ONE_TEXT).openapi("MailPreviewInput", { example: TEMPLATE_CONTENT_EXAMPLE });

export const MAIL_PREVIEW_EXAMPLE = {
  subject: "123456 é o seu código",
  text: "O seu código para Blog: 123456",
  html: null,
};

export const MailPreview = z.strictObject({
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
}).openapi("MailPreview", { example: MAIL_PREVIEW_EXAMPLE });

export const TEMPLATE_EXAMPLE = {
  id: EXAMPLE_ID,
  name: "code",
  language: "pt-BR",
  ...TEMPLATE_CONTENT_EXAMPLE,
  html: null,
  updatedAt: "2026-01-31T12:00:00.000Z",
};

const template = {
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
};

export const StoredMailTemplate = z.strictObject({
  id,
  name: z.string(),
  language: z.string(),
  ...template,
  updatedAt: time,
}).openapi("MailTemplate", { example: TEMPLATE_EXAMPLE });

const BuiltInMailTemplate = z.strictObject({ name: z.enum(PROJECT_MAIL_KINDS), ...template })
  .openapi("BuiltInMailTemplate", {
    description: "The template that is used if the project has none of that name.",
  });

export const TEMPLATE_LIST_EXAMPLE = {
  items: [TEMPLATE_EXAMPLE],
  nextCursor: null,
  builtIn: [{
    name: "code" as const,
    subject: "{{code}} signs you in to {{project}}",
    text: "Enter this code to sign in to {{project}}: {{code}}",
    html: null,
  }],
};

export const MailTemplateList = z.strictObject({
  items: z.array(StoredMailTemplate),
  nextCursor: z.string().nullable(),
  builtIn: z.array(BuiltInMailTemplate),
}).openapi("MailTemplateList", { example: TEMPLATE_LIST_EXAMPLE });

export const DeletedMailTemplate = z.strictObject({ deleted: z.literal(true) })
  .openapi("DeletedMailTemplate", { example: { deleted: true } });
