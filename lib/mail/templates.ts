import { MAIL_BODY_LENGTH_MAX, MAIL_SUBJECT_LENGTH_MAX } from "../limits.ts";
import { escapeHtml } from "../text/html.ts";
import { type MailKind, PROJECT_MAIL_KINDS } from "./mails.ts";

/** Texts of a mail, with `{{name}}` as placeholders of variables. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  /** Null for a mail without HTML. */
  readonly html: string | null;
}

export type MailVariables = Readonly<Record<string, string>>;

export type RenderedMail = MailTemplate;

export const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

const PLACEHOLDER = /\{\{\s*([A-Za-z][A-Za-z0-9_]{0,49})\s*\}\}/g;

/**
 * Fills variables in once, escaped in HTML; a missing one is empty. The subject becomes one short
 * line. Returns null if the text or HTML would exceed `MAIL_BODY_LENGTH_MAX` characters.
 */
export function renderMail(
  { subject, text, html }: MailTemplate,
  variables: MailVariables,
): RenderedMail | null {
  const filledSubject = fill(subject, variables, toOneLine);
  const filledText = fill(text, variables, (plain) => plain);
  const filledHtml = html === null ? null : fill(html, variables, escapeHtml);
  if (filledSubject === null || filledText === null) return null;
  if (filledHtml === null && html !== null) return null;
  const line = toOneLine(filledSubject).trim();
  return { subject: truncate(line, MAIL_SUBJECT_LENGTH_MAX), text: filledText, html: filledHtml };
}

function fill(
  template: string,
  variables: MailVariables,
  form: (value: string) => string,
): string | null {
  let length = template.length;
  const filled = template.replaceAll(PLACEHOLDER, (placeholder, name) => {
    const value = form(Object.hasOwn(variables, name) ? variables[name]! : "");
    length += value.length - placeholder.length;
    return length > MAIL_BODY_LENGTH_MAX ? "" : value;
  });
  return length > MAIL_BODY_LENGTH_MAX ? null : filled;
}

/** Shortens a text without splitting a surrogate pair. */
const truncate = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, "");

const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

const toOneLine = (text: string): string => text.replaceAll(BREAKS, " ");

/** Returns an HTML mail with one column, for light and dark mode. Long links are wrapped. */
const htmlPage = (paragraphs: readonly string[]): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:32rem;margin:0 auto;overflow-wrap:anywhere;word-break:break-word">
${paragraphs.join("\n")}
</div></body></html>`;

const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`;

const footnote = (html: string): string =>
  `<p style="margin:24px 0 0;font-size:14px;opacity:.75">${html}</p>`;

/** HTML of a code. A tap selects all of it. */
const CODE = '<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;' +
  'letter-spacing:.15em;-webkit-user-select:all;user-select:all">{{code}}</p>';

const VALIDITY = "It is valid for {{minutes}} minutes and can be used once.";
const BY_LINK = "Or open this link and confirm there:";
const NOT_YOU = "If that was not you, ignore this mail: nothing happens without the code.";

/** Returns a function that creates the template of a mail with a code, with or without a link. */
const createCodeTemplate = ({ subject, purpose }: { subject: string; purpose: string }) =>
(
  hasLink: boolean,
): MailTemplate => ({
  subject,
  text: [
    purpose,
    "    {{code}}",
    VALIDITY,
    ...(hasLink ? [BY_LINK, "{{link}}"] : []),
    `${NOT_YOU}\n`,
  ].join("\n\n"),
  html: htmlPage([
    paragraph(purpose),
    CODE,
    paragraph(VALIDITY),
    ...(hasLink ? [paragraph(`${BY_LINK}<br><a href="{{link}}">{{link}}</a>`)] : []),
    footnote(NOT_YOU),
  ]),
});

const createNoticeTemplate =
  (subject: string, ...paragraphs: readonly string[]) => (): MailTemplate => ({
    subject,
    text: `${paragraphs.join("\n\n")}\n`,
    html: htmlPage(paragraphs.map(paragraph)),
  });

const PLAIN_NAME_LENGTH_MAX = 30;
const PLAIN_NAME_DIGITS_MAX = 4;

/** Keeps letters, spaces and few digits, to prevent a URL, telephone number or long message. */
export function plainName(name: string): string {
  const letters = name.replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, " ");
  const digits = letters.match(/\p{Nd}/gu)?.length ?? 0;
  const shortened = digits > PLAIN_NAME_DIGITS_MAX ? letters.replaceAll(/\p{Nd}+/gu, " ") : letters;
  const words = shortened.replaceAll(/ +/g, " ").trim();
  return truncate(words, PLAIN_NAME_LENGTH_MAX).trim() || "an application";
}

/** Templates without texts of callers or owners, which could carry messages to other addresses. */
const BUILT_IN: Readonly<Record<MailKind, (hasLink: boolean) => MailTemplate>> = {
  verify: createCodeTemplate({
    subject: "{{code}} verifies your e-mail for {{project}}",
    purpose: "This address was used to sign up to {{project}}. Enter this code to verify it:",
  }),
  resetPassword: createCodeTemplate({
    subject: "{{code}} resets your password for {{project}}",
    purpose: "A password reset was requested for this address at {{project}}. Enter this code:",
  }),
  code: createCodeTemplate({
    subject: "{{code}} signs you in to {{project}}",
    purpose: "Enter this code to sign in to {{project}}:",
  }),
  emailChange: createCodeTemplate({
    subject: "{{code}} confirms your new e-mail for {{project}}",
    purpose: "Enter this code to use this address at {{project}}:",
  }),
  emailChanged: createNoticeTemplate(
    "Your e-mail at {{project}} was changed",
    "Your account at {{project}} has another e-mail address now. This address is no longer used.",
    "If you did not do this, contact {{project}} immediately.",
  ),
  accountExists: createNoticeTemplate(
    "You already have an account at {{project}}",
    "This address was used to sign up to {{project}}, but it already has an account.",
    "If that was you, sign in, or reset your password. If not, ignore this mail.",
  ),
  invitation: () => ({
    subject: "You are invited to work on a project",
    text:
      "You are invited to work on a project. Open this link to see which project it is and who " +
      "invites you, and to accept or decline:\n\n{{url}}\n\nThe link is valid for 7 days and can " +
      "be used once. If you do not expect an invitation, ignore this mail.\n",
    html: htmlPage([
      paragraph("You are invited to work on a project."),
      paragraph('<a href="{{url}}">See the invitation, and accept or decline</a>'),
      footnote(
        "The link is valid for 7 days and can be used once: {{url}}<br>If you do not expect an " +
          "invitation, ignore this mail.",
      ),
    ]),
  }),
  webhookFailed: createNoticeTemplate(
    "A webhook of your project is failing",
    "A message to a webhook of your project was given up, because the server there did not answer or " +
      "refused it.",
    "See which webhook it is and what it answered, and send messages again: {{url}}",
  ),
  limitReached: createNoticeTemplate(
    "Your project has reached a limit",
    "{{what}}",
    "See the project: {{url}}",
  ),
};

export const builtInTemplate = (kind: MailKind, hasLink: boolean): MailTemplate =>
  BUILT_IN[kind](hasLink);

/** Returns the built-in templates that a project can replace by its own. */
export const builtInTemplates = (
  hasLink: boolean,
): (MailTemplate & { readonly name: MailKind })[] =>
  PROJECT_MAIL_KINDS.map((name) => ({ name, ...builtInTemplate(name, hasLink) }));

const SAMPLE_SITE = "https://app.example.com";

/** @param name Name of the template, which determines the purpose in the link of a code. */
export function sampleVariables(name: string, siteUrl: string | null = null): MailVariables {
  const url = siteUrl ?? SAMPLE_SITE;
  const [email, code] = ["ada@example.com", "123456"];
  const purpose = CODE_KINDS.find((kind) => kind === name) ?? "verify";
  const query = new URLSearchParams({ purpose, email });
  const link = `${url}/auth/verify?${query}#code=${code}`;
  return { code, minutes: "10", email, link, url, project: "Blog" };
}

const CODE_KINDS: readonly MailKind[] = ["verify", "resetPassword", "code", "emailChange"];
