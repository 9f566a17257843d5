import { MAIL_BODY_LENGTH_MAX, MAIL_SUBJECT_LENGTH_MAX } from "../limits.ts";
import { escapeHtml } from "../text/html.ts";
import { type MailKind, PROJECT_MAIL_KINDS } from "./mails.ts";

/** Texts of a mail, with `{{name}}` where a variable is filled in. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  /** Null for a mail of text alone. */
  readonly html: string | null;
}

export type MailVariables = Readonly<Record<string, string>>;

/** What is sent, ready. */
export type RenderedMail = MailTemplate;

/** How a variable may be called. */
export const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

const PLACE = /\{\{\s*([A-Za-z][A-Za-z0-9_]{0,49})\s*\}\}/g;

/**
 * Fills variables in, once: what a variable holds is never a template itself. In HTML they are
 * escaped; a subject stays one line, and is cut where it would be too long. What nobody has given is
 * empty. Null where text or HTML would have more than `MAIL_BODY_LENGTH_MAX` characters.
 */
export function renderMail(
  { subject, text, html }: MailTemplate,
  variables: MailVariables,
): RenderedMail | null {
  const filledSubject = fill(subject, variables, oneLine);
  const filledText = fill(text, variables, (plain) => plain);
  const filledHtml = html === null ? null : fill(html, variables, escapeHtml);
  if (filledSubject === null || filledText === null) return null;
  if (filledHtml === null && html !== null) return null;
  const line = oneLine(filledSubject).trim();
  return { subject: cut(line, MAIL_SUBJECT_LENGTH_MAX), text: filledText, html: filledHtml };
}

function fill(
  template: string,
  variables: MailVariables,
  form: (value: string) => string,
): string | null {
  let length = template.length;
  const filled = template.replaceAll(PLACE, (place, name) => {
    const value = form(Object.hasOwn(variables, name) ? variables[name]! : "");
    length += value.length - place.length;
    return length > MAIL_BODY_LENGTH_MAX ? "" : value;
  });
  return length > MAIL_BODY_LENGTH_MAX ? null : filled;
}

/** Of a pair of surrogates no half is left. */
const cut = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, "");

const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

const oneLine = (text: string): string => text.replaceAll(BREAKS, " ");

/** One column that every mail program shows alike, in light and dark; long links break. */
const page = (paragraphs: readonly string[]): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:32rem;margin:0 auto;overflow-wrap:anywhere;word-break:break-word">
${paragraphs.join("\n")}
</div></body></html>`;

const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`;

const fine = (html: string): string =>
  `<p style="margin:24px 0 0;font-size:14px;opacity:.75">${html}</p>`;

/** A tap selects all of it. */
const CODE = '<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;' +
  'letter-spacing:.15em;-webkit-user-select:all;user-select:all">{{code}}</p>';

const GOOD_FOR = "It is good for {{minutes}} minutes, and once.";
const BY_LINK = "Or open this link, and confirm there:";
const NOT_YOU = "If that was not you, ignore this mail: nothing happens without the code.";

/** A link is there where the project has a Site URL. */
const codeMail = ({ subject, does }: { subject: string; does: string }) =>
(
  hasLink: boolean,
): MailTemplate => ({
  subject,
  text: [
    does,
    "    {{code}}",
    GOOD_FOR,
    ...(hasLink ? [BY_LINK, "{{link}}"] : []),
    `${NOT_YOU}\n`,
  ].join("\n\n"),
  html: page([
    paragraph(does),
    CODE,
    paragraph(GOOD_FOR),
    ...(hasLink ? [paragraph(`${BY_LINK}<br><a href="{{link}}">{{link}}</a>`)] : []),
    fine(NOT_YOU),
  ]),
});

const noteMail = (subject: string, ...paragraphs: readonly string[]) => (): MailTemplate => ({
  subject,
  text: `${paragraphs.join("\n\n")}\n`,
  html: page(paragraphs.map(paragraph)),
});

const PLAIN_NAME_LENGTH_MAX = 30;
const PLAIN_NAME_DIGITS_MAX = 4;

/**
 * A project's name as the platform's own mails show it: letters and single spaces, and few digits, so
 * that it holds no address of a page, no telephone number and no long message, whatever its owner
 * calls it.
 */
export function plainName(name: string): string {
  const letters = name.replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, " ");
  const digits = letters.match(/\p{Nd}/gu)?.length ?? 0;
  const few = digits > PLAIN_NAME_DIGITS_MAX ? letters.replaceAll(/\p{Nd}+/gu, " ") : letters;
  const words = few.replaceAll(/ +/g, " ").trim();
  return cut(words, PLAIN_NAME_LENGTH_MAX).trim() || "an application";
}

/**
 * Nothing in them is a stranger's to choose: who signs up with somebody else's address must not write
 * to them, and who invites chooses how the project is called.
 */
const BUILT_IN: Readonly<Record<MailKind, (hasLink: boolean) => MailTemplate>> = {
  verify: codeMail({
    subject: "{{code}} verifies your e-mail for {{project}}",
    does: "Somebody signed up to {{project}} with this address. Enter this code to verify it:",
  }),
  resetPassword: codeMail({
    subject: "{{code}} resets your password for {{project}}",
    does: "Somebody asked to reset the password of this address at {{project}}. Enter this code:",
  }),
  code: codeMail({
    subject: "{{code}} signs you in to {{project}}",
    does: "Enter this code to sign in to {{project}}:",
  }),
  emailChange: codeMail({
    subject: "{{code}} confirms your new e-mail for {{project}}",
    does: "Enter this code to use this address at {{project}}:",
  }),
  emailChanged: noteMail(
    "Your e-mail at {{project}} was changed",
    "Your account at {{project}} has another e-mail address from now on: this one is not used any " +
      "more.",
    "If that was not you, tell {{project}} at once.",
  ),
  accountExists: noteMail(
    "You have an account at {{project}} already",
    "Somebody tried to sign up to {{project}} with this address, which has an account already.",
    "If that was you, sign in, or reset your password. If not, ignore this mail.",
  ),
  invitation: () => ({
    subject: "You are invited to work on a project",
    text:
      "You are invited to work on a project. Open this link to see which, and by whom, and to " +
      "accept or decline:\n\n{{url}}\n\nIt is good for 7 days, and once. If you expect no " +
      "invitation, ignore this mail.\n",
    html: page([
      paragraph("You are invited to work on a project."),
      paragraph('<a href="{{url}}">See which, and by whom, and accept or decline</a>'),
      fine(
        "The link is good for 7 days, and once: {{url}}<br>If you expect no invitation, ignore this " +
          "mail.",
      ),
    ]),
  }),
  webhookFailed: noteMail(
    "A webhook of your project does not get through",
    "A message to a webhook of your project was given up: its address did not answer, or refused it.",
    "See which one it is, what it answered, and send messages again: {{url}}",
  ),
  limitReached: noteMail(
    "Your project has reached a limit",
    "{{what}}",
    "See the project: {{url}}",
  ),
};

/** What is sent where a project has no template of its own. */
export const builtInTemplate = (kind: MailKind, hasLink: boolean): MailTemplate =>
  BUILT_IN[kind](hasLink);

/** Those that a project's own take the place of. */
export const builtInTemplates = (
  hasLink: boolean,
): (MailTemplate & { readonly name: MailKind })[] =>
  PROJECT_MAIL_KINDS.map((name) => ({ name, ...builtInTemplate(name, hasLink) }));

const SAMPLE_SITE = "https://app.example.com";

/**
 * Returns what a preview fills in where the caller gives nothing else.
 * @param name The template's name: the link of a mail with a code says what the code is for.
 */
export function sampleVariables(name: string, siteUrl: string | null = null): MailVariables {
  const url = siteUrl ?? SAMPLE_SITE;
  const [email, code] = ["ada@example.com", "123456"];
  const purpose = CODE_KINDS.find((kind) => kind === name) ?? "verify";
  const query = new URLSearchParams({ purpose, email });
  const link = `${url}/auth/verify?${query}#code=${code}`;
  return { code, minutes: "10", email, link, url, project: "Blog" };
}

const CODE_KINDS: readonly MailKind[] = ["verify", "resetPassword", "code", "emailChange"];
