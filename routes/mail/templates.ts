import { ok } from "@/lib/http/respond.ts";
import { previewMail } from "@/lib/mail/preview.ts";
import { deleteTemplate, listTemplates, setTemplate } from "@/lib/mail/template_store.ts";
import { builtInTemplates } from "@/lib/mail/templates.ts";
import type * as mail from "@/openapi/paths/project_mail.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListMailTemplates: HandlerOf<typeof mail.listMailTemplates> = async (c) => {
  const { services, principal: { project } } = c.var;
  const page = await listTemplates(services, project._id, c.req.valid("query"));
  const builtIn = builtInTemplates(project.siteUrl !== null);
  return ok(200, JSON.stringify({ ...page, builtIn }), "Templates listed");
};

export const handleSetMailTemplate: HandlerOf<typeof mail.setMailTemplate> = async (c) => {
  const { services, principal } = c.var;
  const template = { ...c.req.valid("param"), ...c.req.valid("json") };
  const stored = await setTemplate(services, principal.project._id, template);
  return ok(200, JSON.stringify(stored), "Template saved");
};

export const handleDeleteMailTemplate: HandlerOf<typeof mail.deleteMailTemplate> = async (c) => {
  const { services, principal } = c.var;
  await deleteTemplate(services, principal.project._id, c.req.valid("param"));
  return ok(200, JSON.stringify({ deleted: true }), "Template deleted");
};

export const handlePreviewMailTemplate: HandlerOf<typeof mail.previewMailTemplate> = (c) => {
  const { variables, name = "verify", ...template } = c.req.valid("json");
  const preview = previewMail(c.var.principal.project, { name, template, variables });
  return ok(200, JSON.stringify(preview), "Template filled in");
};
