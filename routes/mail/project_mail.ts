import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { checkMailServer } from "@/lib/mail/check_server.ts";
import { findKeptMail, resendMail } from "@/lib/mail/log.ts";
import { previewMail } from "@/lib/mail/preview.ts";
import {
  clearMailServer,
  describeMailSettings,
  findMailSettings,
  setMailSettings,
} from "@/lib/mail/settings.ts";
import { deleteTemplate, listTemplates, setTemplate } from "@/lib/mail/template_store.ts";
import { builtInTemplates } from "@/lib/mail/templates.ts";
import type { PROJECT_MAIL } from "@/openapi/paths/project_mail.ts";
import type { HandlersOf } from "../handler.ts";

export const projectMail: HandlersOf<typeof PROJECT_MAIL> = {
  getProjectMail: async (c) => {
    const { services, principal } = c.var;
    const stored = await findMailSettings(services, principal.project._id);
    return ok(200, JSON.stringify(describeMailSettings(stored)), "Mail settings read");
  },

  setProjectMail: async (c) => {
    const { services, principal } = c.var;
    const settings = await setMailSettings(services, principal.project._id, c.req.valid("json"));
    return ok(200, JSON.stringify(settings), "Mail settings saved");
  },

  clearProjectMail: async (c) => {
    const { services, principal } = c.var;
    const settings = await clearMailServer(services, principal.project._id);
    return ok(200, JSON.stringify(settings), "Mail server disconnected");
  },

  checkProjectMail: async (c) => {
    const { services, principal: { project, account } } = c.var;
    const checked = await checkMailServer(services, project._id, account.email);
    return ok(200, JSON.stringify(checked), "Mail sent");
  },

  /** Forbids caching, because a mail may contain a code. */
  getKeptMail: async (c) => {
    const { services, principal: { project } } = c.var;
    const { id } = c.req.valid("param");
    const kept = await findKeptMail(services, { projectId: project._id }, id);
    return { ...ok(200, JSON.stringify(kept), "Mail read"), headers: [NO_STORE] };
  },

  sendProjectMailAgain: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const queued = await resendMail(services, principal.project._id, c.req.valid("param").id);
    return ok(200, JSON.stringify(queued), "Mail queued");
  },

  listMailTemplates: async (c) => {
    const { services, principal: { project } } = c.var;
    const page = await listTemplates(services, project._id, c.req.valid("query"));
    const builtIn = builtInTemplates(project.siteUrl !== null);
    return ok(200, JSON.stringify({ ...page, builtIn }), "Templates listed");
  },

  setMailTemplate: async (c) => {
    const { services, principal } = c.var;
    const template = { ...c.req.valid("param"), ...c.req.valid("json") };
    const stored = await setTemplate(services, principal.project._id, template);
    return ok(200, JSON.stringify(stored), "Template saved");
  },

  deleteMailTemplate: async (c) => {
    const { services, principal } = c.var;
    await deleteTemplate(services, principal.project._id, c.req.valid("param"));
    return ok(200, JSON.stringify({ deleted: true }), "Template deleted");
  },

  previewMailTemplate: (c) => {
    const { variables, name = "verify", ...template } = c.req.valid("json");
    const preview = previewMail(c.var.principal.project, { name, template, variables });
    return ok(200, JSON.stringify(preview), "Template filled in");
  },
};
