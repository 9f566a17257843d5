import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { sendMailAgain, showMailLog } from "./log.tsx";
import { showMail, showMailHtml } from "./mailbox.tsx";
import {
  checkMailServerByForm,
  clearMailServerByForm,
  saveMailLanguage,
  saveMailServer,
  showMailServer,
} from "./server.tsx";
import {
  deleteTemplateByForm,
  previewForm,
  saveTemplate,
  showPreview,
  showTemplate,
} from "./template.tsx";
import { openTemplate, showTemplates } from "./templates.tsx";

const PATH = "/dashboard/projects/{projectId}/mail";
const SERVER = `${PATH}/server`;
const TEMPLATES = `${PATH}/templates`;
const TEMPLATE = `${TEMPLATES}/{name}/{language}`;

export function mailPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showMail);
  mount(get(`${PATH}/log`, member("viewer")), showMailLog);
  // Kept mails contain codes for sign-in.
  mount(get(`${PATH}/kept/{mailId}`, member("admin")), showMailHtml);
  mount(post(`${PATH}/log/{mailId}`, member("admin")), sendMailAgain);
  mount(get(SERVER, member("viewer")), showMailServer);
  mount(post(SERVER, member("admin")), saveMailServer);
  mount(post(`${SERVER}/language`, member("admin")), saveMailLanguage);
  mount(post(`${SERVER}/check`, member("admin")), checkMailServerByForm);
  mount(post(`${SERVER}/clear`, member("admin")), clearMailServerByForm);
  mount(get(TEMPLATES, member("viewer")), showTemplates);
  mount(get(`${TEMPLATES}/new`, member("admin")), openTemplate);
  mount(get(TEMPLATE, member("viewer")), showTemplate);
  mount(post(TEMPLATE, member("admin")), saveTemplate);
  mount(get(`${TEMPLATE}/preview`, member("viewer")), showPreview);
  mount(post(`${TEMPLATE}/preview`, member("admin")), previewForm);
  mount(post(`${TEMPLATE}/delete`, member("admin")), deleteTemplateByForm);
}
