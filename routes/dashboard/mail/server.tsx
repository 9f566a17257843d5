import { checkMailServer } from "@/lib/mail/check_server.ts";
import {
  clearMailServer,
  describeMailSettings,
  findMailSettings,
  type MailSettingsInfo,
  setMailSettings,
} from "@/lib/mail/settings.ts";
import { getMailsThisMonth } from "@/lib/mail/usage.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { toJsonLimit } from "@/lib/projects/plans.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ProjectMailInput } from "@/openapi/schemas/mail.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, mailPath } from "./mail_page.ts";
import { MailShell } from "./mail_shell.tsx";
import { LanguageCard, OwnServerCard, SenderCard } from "./server_cards.tsx";
import { type EnteredServer, enteredServer, readServer, serverInput } from "./server_form.ts";

interface ServerPageState {
  readonly server?: { readonly entered: EnteredServer; readonly problem: Problem };
  readonly language?: { readonly text: string; readonly problem: Problem };
  readonly check?:
    | { readonly to: string; readonly answer: string }
    | { readonly problem: Problem };
}

const serverPath = (c: PageContext<ProjectMember>): string => `${mailPath(c)}/server`;

const loadSettings = async (c: PageContext<ProjectMember>): Promise<MailSettingsInfo> =>
  describeMailSettings(await findMailSettings(c.var.services, c.var.principal.project._id));

export const showMailServer: PageHandler<ProjectMember> = async (c) =>
  pageReply(await serverPage(c));

export const saveMailServer: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const entered = readServer(form);
  const { services, principal } = c.var;
  const { own } = await loadSettings(c);
  const { problem } = await attempt(async () => {
    const given = serverInput(own, entered, form.get("password") ?? "");
    const input = parseInput(ProjectMailInput, given, { problem: "INVALID_INPUT" });
    await setMailSettings(services, principal.project._id, input);
  });
  if (problem === null) return seeOther(`${serverPath(c)}?done=saved`);
  const page = await serverPage(c, { server: { entered, problem } });
  return pageReply(page, { status: problem.status });
};

export const saveMailLanguage: PageHandler<ProjectMember> = async (c) => {
  const text = ((await c.var.body.form()).get("mailLanguage") ?? "").trim();
  const { services, principal } = c.var;
  const { problem } = await attempt(async () => {
    const given = { mailLanguage: text === "" ? null : text };
    const input = parseInput(ProjectMailInput, given, { problem: "INVALID_INPUT" });
    await setMailSettings(services, principal.project._id, input);
  });
  if (problem === null) return seeOther(`${serverPath(c)}?done=language`);
  const page = await serverPage(c, { language: { text, problem } });
  return pageReply(page, { status: problem.status });
};

export const clearMailServerByForm: PageHandler<ProjectMember> = async (c) => {
  await clearMailServer(c.var.services, c.var.principal.project._id);
  return seeOther(`${serverPath(c)}?done=cleared`);
};

/** Sends a test mail. Only this reply shows the answer of the mail server. */
export const checkMailServerByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal: { project, account } } = c.var;
  const result = await attempt(() => checkMailServer(services, project._id, account.email));
  if (result.problem === null) return pageReply(await serverPage(c, { check: result.value }));
  const page = await serverPage(c, { check: { problem: result.problem } });
  return pageReply(page, { status: result.problem.status });
};

async function serverPage(
  c: PageContext<ProjectMember>,
  { server, language, check }: ServerPageState = {},
) {
  const { services, principal: { project, account }, state: { query } } = c.var;
  const [page, settings, used, { mailsPerMonth }] = await Promise.all([
    loadMailPage(c),
    loadSettings(c),
    getMailsThisMonth(services, project._id),
    services.plans.ofProject(project._id),
  ]);
  const { own, mailLanguage } = settings;
  const path = serverPath(c);
  const t = texts().mail.server;
  return (
    <MailShell page={page} title={t.title} current={path}>
      <DoneNote query={query} sentences={t.done} />
      <SenderCard
        own={own}
        handling={page.handling}
        used={used}
        limit={toJsonLimit(mailsPerMonth)}
      />
      <OwnServerCard
        path={path}
        own={own}
        entered={server?.entered ?? enteredServer(own)}
        problem={server?.problem ?? null}
        check={check ?? null}
        testTo={account.email}
        canEdit={page.canEdit}
      />
      <LanguageCard
        path={path}
        language={language?.text ?? mailLanguage ?? ""}
        problem={language?.problem ?? null}
        canEdit={page.canEdit}
      />
    </MailShell>
  );
}
