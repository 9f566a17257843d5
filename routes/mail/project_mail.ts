import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { checkMailServer } from "@/lib/mail/check_server.ts";
import { findKeptMail, sendAgain } from "@/lib/mail/log.ts";
import {
  clearMailServer,
  findMailSettings,
  setMailSettings,
  shownMailSettings,
} from "@/lib/mail/settings.ts";
import type * as mail from "@/openapi/paths/project_mail.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetProjectMail: HandlerOf<typeof mail.getProjectMail> = async (c) => {
  const { services, principal } = c.var;
  const stored = await findMailSettings(services, principal.project._id);
  return ok(200, JSON.stringify(shownMailSettings(stored)), "Mail settings read");
};

export const handleSetProjectMail: HandlerOf<typeof mail.setProjectMail> = async (c) => {
  const { services, principal } = c.var;
  const settings = await setMailSettings(services, principal.project._id, c.req.valid("json"));
  return ok(200, JSON.stringify(settings), "Mail settings saved");
};

export const handleClearProjectMail: HandlerOf<typeof mail.clearProjectMail> = async (c) => {
  const { services, principal } = c.var;
  const settings = await clearMailServer(services, principal.project._id);
  return ok(200, JSON.stringify(settings), "Mail server disconnected");
};

export const handleCheckProjectMail: HandlerOf<typeof mail.checkProjectMail> = async (c) => {
  const { services, principal: { project, account } } = c.var;
  const checked = await checkMailServer(services, project._id, account.email);
  return ok(200, JSON.stringify(checked), "Mail sent");
};

/** It may hold a code. */
export const handleGetKeptMail: HandlerOf<typeof mail.getKeptMail> = async (c) => {
  const { services, principal: { project } } = c.var;
  const { id } = c.req.valid("param");
  const kept = await findKeptMail(services, { projectId: project._id }, id);
  return { ...ok(200, JSON.stringify(kept), "Mail read"), headers: [NO_STORE] };
};

export const handleSendProjectMailAgain: HandlerOf<typeof mail.sendProjectMailAgain> = async (
  c,
) => {
  const { services, principal } = c.var;
  const queued = await sendAgain(services, principal.project._id, c.req.valid("param").id);
  return ok(200, JSON.stringify(queued), "Mail queued");
};
