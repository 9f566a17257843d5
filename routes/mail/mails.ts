import { withinQuota } from "@/lib/documents/quota.ts";
import { ok } from "@/lib/http/respond.ts";
import { listMails } from "@/lib/mail/log.ts";
import { sendMails } from "@/lib/mail/send.ts";
import type * as mail from "@/openapi/paths/mail.ts";
import type { HandlerOf, InProject } from "../handler.ts";

export const handleSendMail: HandlerOf<typeof mail.sendMail> = async (c) => {
  const { services, principal } = c.var;
  const { projectId } = principal;
  const mail = c.req.valid("json");
  const sent = await withinQuota(
    services,
    projectId,
    (room) => sendMails(services, projectId, { ...mail, room }),
  );
  return ok(200, JSON.stringify(sent), "Mail queued");
};

export const handleListMails: HandlerOf<typeof mail.listMails, InProject> = async (c) => {
  const { services, principal } = c.var;
  const page = await listMails(services, principal.projectId, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Mails listed");
};
