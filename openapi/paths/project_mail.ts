import { z } from "@hono/zod-openapi";
import { MAIL_BODY_BYTES_MAX, MAIL_TEMPLATES_MAX, MAIL_TIMEOUT_MS } from "@/lib/limits.ts";
import { TEMPLATE_NAME } from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { Problem } from "@/lib/problems.ts";
import { answered } from "../answers.ts";
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

/** The name of a template, as it stands in a path. */
const name: PathParameter = {
  schema: z.string().regex(TEMPLATE_NAME).openapi({
    param: {
      description:
        "A kind of mail that Corbel sends, to say it in your words, or a name of your own.",
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
    param: { description: "Its language, in any letter case.", example: "pt-BR" },
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
  description: "The project's own mail server, if it has one, and in which language it writes.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Mail settings read", "The settings.", {
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
  description: "All mails of the project go by this server from now on, without a limit of the " +
    "plan. What is left out stays as it is; the first time `url` and `from` come together. The " +
    "check sends a mail by it.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: ProjectMailInput,
    example: PROJECT_MAIL_INPUT_EXAMPLE,
    description: "The server with its user and password, whom mails are from, and the language.",
  },
  success: answered("Mail settings saved", "The settings as they are now, without the password.", {
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
  description: "Mails go by the platform's server from now on; those that still wait for the " +
    "project's own fail. Without one nothing changes.",
  security: projectMember("admin"),
  params: { projectId },
  success: answered("Mail server disconnected", "The settings as they are now.", {
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
  description: "Sends a mail by the project's own server to the account that is signed in, and " +
    "answers what the server said. It is in no log.",
  security: projectMember("admin"),
  params: { projectId },
  success: answered("Mail sent", "The server has taken the mail.", {
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
  description:
    "Where nobody sends (`deno task dev`, or `MAIL_URL=keep:`), mails are kept with all " +
    "they say, codes included. Mails that are sent are not kept: of those the log has the rest.",
  security: projectMember("admin"),
  params: { projectId, id: mailId },
  success: answered("Mail read", "The mail.", { data: KeptMail, example: KEPT_MAIL_EXAMPLE }),
  problems: ["MAIL_NOT_FOUND"],
});

export const sendProjectMailAgain = contract({
  operationId: "sendProjectMailAgain",
  tag: TAG,
  method: "post",
  path: `${PATH}/logs/{id}/send`,
  summary: "Send a mail again for the project's admins",
  description:
    "One that has failed, and had no code. It counts as a new one, and begins with its " +
    "first try.",
  security: projectMember("admin"),
  params: { projectId, id: mailId },
  success: answered("Mail queued", "The mail is about to be sent.", {
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
  description: "The project's own, the newest first, and beside them those that are built in. " +
    "`{{name}}` stands for a variable. The mails of sign-in have `code`, `minutes`, `link` (where " +
    "the project has a Site URL), `email`, `project` and `url`.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: answered("Templates listed", "A page of templates.", {
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
  description:
    "One of a kind that Corbel sends is used in the place of the one that is built in: " +
    "in the language that the reader's `Accept-Language` asks for, or else the project's, English, " +
    `or any that there is. A project has up to ${MAIL_TEMPLATES_MAX}, of all names and languages.`,
  security: projectMember("admin"),
  params: { projectId, name, language },
  body: {
    schema: MailTemplateInput,
    example: TEMPLATE_INPUT_EXAMPLE,
    description: "Subject and texts, with `{{name}}` where a variable is filled in.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: answered("Template saved", "The template as it is stored.", {
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
  description: "Another one of the name is used then, or the one that is built in.",
  security: projectMember("admin"),
  params: { projectId, name, language },
  success: answered("Template deleted", "The template is gone.", {
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
  description: "The texts as they would be sent, with samples for what Corbel fills in. Nothing " +
    "is stored or sent.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: MailPreviewInput,
    example: TEMPLATE_INPUT_EXAMPLE,
    description: "Subject and texts, and variables of your own.",
    bytesMax: MAIL_BODY_BYTES_MAX,
  },
  success: answered("Template filled in", "The mail.", {
    data: MailPreview,
    example: MAIL_PREVIEW_EXAMPLE,
  }),
  problems: [],
});

/** In the order of the reference. */
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
