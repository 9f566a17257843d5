import { z } from "@hono/zod-openapi";
import { MAIL_BODY_BYTES_MAX, MAIL_TEMPLATES_MAX, MAIL_TIMEOUT_MS } from "@/lib/limits.ts";
import { TEMPLATE_NAME } from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { Problem } from "@/lib/problems.ts";
import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import type { PathParameter } from "../inputs.ts";
import { mailId, pageQuery, projectId } from "../parameters.ts";
import {
  CHECKED_MAIL_EXAMPLE,
  CheckedMail,
  DeletedMailTemplate,
  KEPT_MAIL_EXAMPLE,
  KeptMail,
  LANGUAGE_PATTERN,
  LOGGED_MAIL_EXAMPLE,
  LoggedMail,
  MAIL_PREVIEW_EXAMPLE,
  MailPreview,
  MailPreviewInput,
  MailTemplateInput,
  MailTemplateList,
  PROJECT_MAIL_EXAMPLE,
  PROJECT_MAIL_INPUT_EXAMPLE,
  ProjectMail,
  ProjectMailInput,
  StoredMailTemplate,
  TEMPLATE_EXAMPLE,
  TEMPLATE_INPUT_EXAMPLE,
  TEMPLATE_LIST_EXAMPLE,
} from "../schemas/mail.ts";
import { projectMember } from "../security.ts";
import { forMembers } from "./for_members.ts";
import { listMails } from "./mail.ts";

const TAG = "Project mail";
const PATH = "/api/projects/{projectId}/mail";
const TEMPLATE_PATH = `${PATH}/templates/{name}/{language}` as const;

const { mirror } = forMembers(TAG, PATH);

const name: PathParameter = {
  schema: z.string().regex(TEMPLATE_NAME).openapi({
    param: {
      description: "A kind of mail that Corbel sends, to replace its text, or a name of your own.",
      example: "code",
    },
  }),
  problem: "INVALID_INPUT",
  read(text) {
    if (TEMPLATE_NAME.test(text)) return text;
    throw new Problem("INVALID_INPUT", {
      message: "A template's name must be 1 to 50 letters, digits and -, and begin with a small " +
        "letter.",
    });
  },
};

const language: PathParameter = {
  schema: z.string().openapi({
    pattern: LANGUAGE_PATTERN,
    param: { description: "The template's language, in any letter case.", example: "pt-BR" },
  }),
  problem: "INVALID_INPUT",
  read(text) {
    const canonical = canonicalLanguage(text);
    if (canonical !== null) return canonical;
    throw new Problem("INVALID_INPUT", {
      message: 'A template\'s language must be named as "en" or "pt-BR".',
    });
  },
};

export const getProjectMail = contract({
  operationId: "getProjectMail",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "Get a project's mail settings for its members",
  description: "The project's own mail server, if it has one, and the language of its mails.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Mail settings read", "The settings.", {
    data: ProjectMail,
    example: PROJECT_MAIL_EXAMPLE,
  }),
  problems: [],
});

export const setProjectMail = contract({
  operationId: "setProjectMail",
  tag: TAG,
  method: "put",
  path: PATH,
  summary: "Connect a mail server for the project's admins",
  description: "All mails of the project are then sent through this server, without a limit of " +
    "the plan. Members that are left out stay unchanged; the first time, `url` and `from` are " +
    "required. The check operation sends a mail through it.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: ProjectMailInput,
    example: PROJECT_MAIL_INPUT_EXAMPLE,
    description: "The server with its user and password, the sender, and the language.",
  },
  success: okAnswer("Mail settings saved", "The changed settings, without the password.", {
    data: ProjectMail,
    example: PROJECT_MAIL_EXAMPLE,
  }),
  problems: ["INVALID_INPUT"],
});

export const clearProjectMail = contract({
  operationId: "clearProjectMail",
  tag: TAG,
  method: "delete",
  path: PATH,
  summary: "Disconnect the mail server for the project's admins",
  description: "Mails are then sent through the platform's server; those still queued for the " +
    "project's own fail. Without an own server, nothing changes.",
  security: projectMember("admin"),
  params: { projectId },
  success: okAnswer("Mail server disconnected", "The changed settings.", {
    data: ProjectMail,
    example: { own: null, mailLanguage: null },
  }),
  problems: [],
});

export const checkProjectMail = contract({
  operationId: "checkProjectMail",
  tag: TAG,
  method: "post",
  path: `${PATH}/check`,
  summary: "Check the mail server for the project's admins",
  description: "Sends a mail through the project's own server to the signed-in account, and " +
    "answers the server's response. The mail is not logged.",
  security: projectMember("admin"),
  params: { projectId },
  success: okAnswer("Mail sent", "The server has accepted the mail.", {
    data: CheckedMail,
    example: CHECKED_MAIL_EXAMPLE,
  }),
  extraMs: MAIL_TIMEOUT_MS,
  problems: ["INVALID_INPUT", "MAIL_SERVER_REFUSED", "MAIL_SERVER_UNREACHABLE"],
});

export const listProjectMails = mirror(listMails, {
  operationId: "listProjectMails",
  summary: "List mails for the project's members",
  role: "viewer",
  path: "/logs",
});

export const getKeptMail = contract({
  operationId: "getKeptMail",
  tag: TAG,
  method: "get",
  path: `${PATH}/logs/{id}`,
  summary: "Read a mail that was kept for the project's admins",
  description: "A server that does not send mail (`deno task dev`, or `MAIL_URL=keep:`) keeps " +
    "mails with their content, including codes. The content of sent mails is not stored.",
  security: projectMember("admin"),
  params: { projectId, id: mailId },
  success: okAnswer("Mail read", "The mail.", { data: KeptMail, example: KEPT_MAIL_EXAMPLE }),
  problems: ["MAIL_NOT_FOUND"],
});

export const sendProjectMailAgain = contract({
  operationId: "sendProjectMailAgain",
  tag: TAG,
  method: "post",
  path: `${PATH}/logs/{id}/send`,
  summary: "Send a mail again for the project's admins",
  description: "Sends a failed mail that has no code. It counts as a new mail, and begins with " +
    "its first try.",
  security: projectMember("admin"),
  params: { projectId, id: mailId },
  success: okAnswer("Mail queued", "The mail is queued.", {
    data: LoggedMail,
    example: {
      ...LOGGED_MAIL_EXAMPLE,
      state: "queued" as const,
      tries: 0,
      answer: null,
      sentAt: null,
    },
  }),
  problems: [
    "MAIL_NOT_FOUND",
    "MAIL_NOT_RESENDABLE",
    "MAIL_QUOTA_EXCEEDED",
    "MAIL_NOT_CONFIGURED",
  ],
});

export const listMailTemplates = contract({
  operationId: "listMailTemplates",
  tag: TAG,
  method: "get",
  path: `${PATH}/templates`,
  summary: "List mail templates for the project's members",
  description: "The project's own templates, newest first, and the built-in ones. `{{name}}` is " +
    "a variable. The mails of sign-in have `code`, `minutes`, `link` (if the project has a Site " +
    "URL), `email`, `project` and `url`.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: okAnswer("Templates listed", "A page of templates.", {
    data: MailTemplateList,
    example: TEMPLATE_LIST_EXAMPLE,
  }),
  problems: ["INVALID_CURSOR"],
});

export const setMailTemplate = contract({
  operationId: "setMailTemplate",
  tag: TAG,
  method: "put",
  path: TEMPLATE_PATH,
  summary: "Set a mail template for the project's admins",
  description: "A template for a kind of mail that Corbel sends replaces the built-in one: in " +
    "the language of the request's `Accept-Language`, otherwise the project's, English, or any. " +
    `A project has up to ${MAIL_TEMPLATES_MAX} in all names and languages.`,
  security: projectMember("admin"),
  params: { projectId, name, language },
  body: {
    schema: MailTemplateInput,
    example: TEMPLATE_INPUT_EXAMPLE,
    description: "Subject and texts, with `{{name}}` for variables.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: okAnswer("Template saved", "The stored template.", {
    data: StoredMailTemplate,
    example: TEMPLATE_EXAMPLE,
  }),
  problems: ["MAIL_TEMPLATE_LIMIT_REACHED"],
});

export const deleteMailTemplate = contract({
  operationId: "deleteMailTemplate",
  tag: TAG,
  method: "delete",
  path: TEMPLATE_PATH,
  summary: "Delete a mail template for the project's admins",
  description: "Another template of this name is then used, or the built-in one.",
  security: projectMember("admin"),
  params: { projectId, name, language },
  success: okAnswer("Template deleted", "The template is deleted.", {
    data: DeletedMailTemplate,
    example: { deleted: true as const },
  }),
  problems: ["MAIL_TEMPLATE_NOT_FOUND"],
});

export const previewMailTemplate = contract({
  operationId: "previewMailTemplate",
  tag: TAG,
  method: "post",
  path: `${PATH}/templates/preview`,
  summary: "Preview a mail template for the project's admins",
  description: "The texts as they would be sent, with samples for Corbel's variables. Nothing is " +
    "stored or sent.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: MailPreviewInput,
    example: TEMPLATE_INPUT_EXAMPLE,
    description: "Subject and texts, and your own variables.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: okAnswer("Template filled in", "The mail.", {
    data: MailPreview,
    example: MAIL_PREVIEW_EXAMPLE,
  }),
  problems: [],
});

export const PROJECT_MAIL = {
  getProjectMail,
  setProjectMail,
  clearProjectMail,
  checkProjectMail,
  listProjectMails,
  getKeptMail,
  sendProjectMailAgain,
  listMailTemplates,
  setMailTemplate,
  deleteMailTemplate,
  previewMailTemplate,
};
