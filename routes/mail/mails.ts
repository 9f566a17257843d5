import { withinQuota } from "@/lib/documents/quota.ts";
import { ok } from "@/lib/http/respond.ts";
import { listMails } from "@/lib/mail/log.ts";
import { sendMails } from "@/lib/mail/send.ts";
import type { MAIL } from "@/openapi/paths/mail.ts";
import type { HandlersOf } from "../handler.ts";

export const mail: HandlersOf<typeof MAIL> = {
  sendMail: async (c) => {
    const { services, principal } = c.var;
    const { projectId } = principal;
    const mail = c.req.valid("json");
    const sent = await withinQuota(
      services,
      projectId,
      (quota) => sendMails(services, projectId, { ...mail, quota }),
    );
    return ok(200, JSON.stringify(sent), "Mail queued");
  },

  listMails: async (c) => {
    const { services, principal } = c.var;
    const page = await listMails(services, principal.projectId, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Mails listed");
  },
};
