import { requiredId } from "@/lib/ids.ts";
import { MAIL_LOG_DAYS } from "@/lib/limits.ts";
import { listMails, type LoggedMail, sendAgain } from "@/lib/mail/log.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { Pages, pagingOf } from "../paging.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { KINDS } from "./kinds.ts";
import { loadMailPage, type MailPage, mailPathOf } from "./mail_page.ts";
import { hasMailbox, MailShell } from "./mail_shell.tsx";

const ROWS = 50;

const DONE = { again: "The mail is on its way again." };

export const showMailLog: PageHandler<ProjectMember> = async (c) =>
  await logPage(c, await loadMailPage(c));

export const sendMailAgain: PageHandler<ProjectMember, "mailId"> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    sendAgain(services, principal.project._id, requiredId(c.req.valid("param").mailId))
  );
  if (problem === null) return seeOther(`${mailPathOf(c)}/log?done=again`);
  return await logPage(c, await loadMailPage(c), problem);
};

const NONE = { items: [], nextCursor: null };

export async function logPage(
  c: PageContext<ProjectMember>,
  page: MailPage,
  refused: Problem | null = null,
) {
  const { services, principal, state: { query } } = c.var;
  const tried = await attempt(() =>
    listMails(services, principal.project._id, pagingOf(query, ROWS))
  );
  const { items, nextCursor }: RecordPage<LoggedMail> = tried.problem === null ? tried.value : NONE;
  const problem = refused ?? tried.problem;
  const path = hasMailbox(page) ? `${page.path}/log` : page.path;
  return pageReply(
    <MailShell page={page} title="Mail log" current={path} wide>
      <DoneNote query={query} sentences={DONE} />
      <Refusal problem={problem} />
      <FateNote page={page} />
      <p class="muted">
        Mails of the last {MAIL_LOG_DAYS}{" "}
        days. One that fails on the way is tried again after 1, 5, 15, 60 and 240 minutes.
      </p>
      {items.length === 0
        ? <p class="empty">No mail so far. Sign-up, codes and your application send some.</p>
        : <LogTable mails={items} page={page} />}
      <Pages path={path} query={query} nextCursor={nextCursor} what="mails" />
    </MailShell>,
    { status: problem?.status ?? 200 },
  );
}

const FateNote = ({ page: { fate, path, canEdit } }: { page: MailPage }) => {
  if (fate === "sent") return null;
  if (fate === "kept") {
    return <p class="note">Mails are not sent here. They are kept for whoever develops.</p>;
  }
  return (
    <p class="note">
      No mail can be sent: neither this project nor this server has a mail server.
      {canEdit && <a href={`${path}/server`}>Set a mail server</a>}
    </p>
  );
};

const BADGES = { sent: "badge on", failed: "badge bad", queued: "badge", kept: "badge" } as const;

const LogTable = ({ mails, page }: { mails: readonly LoggedMail[]; page: MailPage }) => (
  <div class="scroll" role="region" aria-label="Mails" tabindex={0}>
    <table class="snug lines">
      <thead>
        <tr>
          <th scope="col">To</th>
          <th scope="col">State</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>{mails.map((mail) => <LogRow mail={mail} page={page} />)}</tbody>
    </table>
  </div>
);

const LogRow = ({ mail, page: { path, canEdit } }: { mail: LoggedMail; page: MailPage }) => (
  <tr>
    <th scope="row">
      <span class="mono">{mail.to}</span>
      <small>
        {KINDS[mail.kind]}
        {!mail.hasCode && ` · ${mail.subject}`}
      </small>
    </th>
    <td>
      <span class={BADGES[mail.state]}>{mail.state}</span>
      {mail.provider === "byok" && <small>by your server</small>}
      {mail.tries > 1 && <small>{`tried ${mail.tries} times`}</small>}
      {mail.answer !== null && (
        <small class={mail.state === "failed" ? "bad" : ""}>{mail.answer}</small>
      )}
      {canEdit && mail.state === "failed" && !mail.hasCode && (
        <form method="post" action={`${path}/log/${mail.id}`}>
          <button class="quiet" aria-label={`Send again to ${mail.to}`}>Send again</button>
        </form>
      )}
    </td>
    <td>
      <When at={mail.createdAt} />
      {mail.sentAt !== null && (
        <small>
          sent <When at={mail.sentAt} />
        </small>
      )}
    </td>
  </tr>
);
