import { checkMailServer } from "@/lib/mail/check_server.ts";
import {
  clearMailServer,
  findMailSettings,
  setMailSettings,
  type ShownMailSettings,
  shownMailSettings,
} from "@/lib/mail/settings.ts";
import { mailsThisMonth } from "@/lib/mail/usage.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { shownLimit } from "@/lib/projects/plans.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ProjectMailInput } from "@/openapi/schemas/mail.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, mailPathOf } from "./mail_page.ts";
import { MailShell } from "./mail_shell.tsx";
import { LanguageCard, OwnServerCard, SenderCard } from "./server_cards.tsx";
import { type EnteredServer, enteredServer, serverInput, typedServer } from "./server_form.ts";

/** What a form of the page came to, if it did not lead elsewhere. */
interface Outcome {
  readonly server?: { readonly entered: EnteredServer; readonly problem: Problem };
  readonly language?: { readonly text: string; readonly problem: Problem };
  readonly check?:
    | { readonly to: string; readonly answer: string }
    | { readonly problem: Problem };
}

const serverPath = (c: PageContext<ProjectMember>): string => `${mailPathOf(c)}/server`;

const settingsOf = async (c: PageContext<ProjectMember>): Promise<ShownMailSettings> =>
  shownMailSettings(await findMailSettings(c.var.services, c.var.principal.project._id));

export const showMailServer: PageHandler<ProjectMember> = async (c) =>
  pageReply(await serverPage(c));

export const saveMailServer: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const entered = typedServer(form);
  const { services, principal } = c.var;
  const { own } = await settingsOf(c);
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

/** What the server said is in this answer alone. */
export const checkMailServerByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal: { project, account } } = c.var;
  const tried = await attempt(() => checkMailServer(services, project._id, account.email));
  if (tried.problem === null) return pageReply(await serverPage(c, { check: tried.value }));
  const page = await serverPage(c, { check: { problem: tried.problem } });
  return pageReply(page, { status: tried.problem.status });
};

async function serverPage(
  c: PageContext<ProjectMember>,
  { server, language, check }: Outcome = {},
) {
  const { services, principal: { project, account }, state: { query } } = c.var;
  const [page, settings, used, { mailsPerMonth }] = await Promise.all([
    loadMailPage(c),
    settingsOf(c),
    mailsThisMonth(services, project._id),
    services.plans.of(project._id),
  ]);
  const { own, mailLanguage } = settings;
  const path = serverPath(c);
  const t = texts().mail.server;
  return (
    <MailShell page={page} title={t.title} current={path}>
      <DoneNote query={query} sentences={t.done} />
      <SenderCard own={own} fate={page.fate} used={used} limit={shownLimit(mailsPerMonth)} />
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
