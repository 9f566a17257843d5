import { requiredId } from "@/lib/ids.ts";
import { MAIL_LOG_DAYS } from "@/lib/limits.ts";
import { listMails, type LoggedMail, resendMail } from "@/lib/mail/log.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { PageLinks, readPaging } from "../paging.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, type MailPage, mailPath } from "./mail_page.ts";
import { hasMailbox, MailShell } from "./mail_shell.tsx";

const ROWS = 50;

export const showMailLog: PageHandler<ProjectMember> = async (c) =>
  await logPage(c, await loadMailPage(c));

export const sendMailAgain: PageHandler<ProjectMember, "mailId"> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    resendMail(services, principal.project._id, requiredId(c.req.valid("param").mailId))
  );
  if (problem === null) return seeOther(`${mailPath(c)}/log?done=again`);
  return await logPage(c, await loadMailPage(c), problem);
};

const NO_MAILS = { items: [], nextCursor: null };

export async function logPage(
  c: PageContext<ProjectMember>,
  page: MailPage,
  refused: Problem | null = null,
) {
  const { services, principal, state: { query } } = c.var;
  const result = await attempt(() =>
    listMails(services, principal.project._id, readPaging(query, ROWS))
  );
  const { items, nextCursor }: RecordPage<LoggedMail> = result.problem === null
    ? result.value
    : NO_MAILS;
  const problem = refused ?? result.problem;
  const path = hasMailbox(page) ? `${page.path}/log` : page.path;
  const t = texts().mail.log;
  return pageReply(
    <MailShell page={page} title={t.title} current={path} wide>
      <DoneNote query={query} sentences={t.done} />
      <Refusal problem={problem} />
      <HandlingNote page={page} />
      <p class="muted">{t.about(MAIL_LOG_DAYS)}</p>
      {items.length === 0 ? <p class="empty">{t.none}</p> : <LogTable mails={items} page={page} />}
      <PageLinks path={path} query={query} nextCursor={nextCursor} what={texts().mail.pages} />
    </MailShell>,
    { status: problem?.status ?? 200 },
  );
}

const HandlingNote = ({ page: { handling, path, canEdit } }: { page: MailPage }) => {
  const t = texts().mail.log;
  if (handling === "sent") return null;
  if (handling === "kept") return <p class="note">{t.kept}</p>;
  return (
    <p class="note">
      {t.impossible}
      {canEdit && <a href={`${path}/server`}>{t.setServer}</a>}
    </p>
  );
};

const BADGES = { sent: "badge on", failed: "badge bad", queued: "badge", kept: "badge" } as const;

const LogTable = ({ mails, page }: { mails: readonly LoggedMail[]; page: MailPage }) => {
  const t = texts().mail.log;
  return (
    <div class="scroll" role="region" aria-label={t.mails} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.to}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.when}</th>
          </tr>
        </thead>
        <tbody>{mails.map((mail) => <LogRow mail={mail} page={page} />)}</tbody>
      </table>
    </div>
  );
};

const LogRow = ({ mail, page: { path, canEdit } }: { mail: LoggedMail; page: MailPage }) => {
  const t = texts().mail.log;
  const { kinds, states } = texts().mail;
  return (
    <tr>
      <th scope="row">
        <span class="mono">{mail.to}</span>
        <small>
          {kinds[mail.kind]}
          {!mail.hasCode && ` · ${mail.subject}`}
        </small>
      </th>
      <td>
        <span class={BADGES[mail.state]}>{states[mail.state]}</span>
        {mail.provider === "byok" && <small>{t.byOwnServer}</small>}
        {mail.tries > 1 && <small>{t.tried(mail.tries)}</small>}
        {mail.answer !== null && (
          <small class={mail.state === "failed" ? "bad" : ""}>{mail.answer}</small>
        )}
        {canEdit && mail.state === "failed" && !mail.hasCode && (
          <form method="post" action={`${path}/log/${mail.id}`}>
            <button class="quiet" aria-label={t.sendAgainTo(mail.to)}>{t.sendAgain}</button>
          </form>
        )}
      </td>
      <td>
        <When at={mail.createdAt} />
        {mail.sentAt !== null && <small>{t.sentAt(<When at={mail.sentAt} />)}</small>}
      </td>
    </tr>
  );
};
