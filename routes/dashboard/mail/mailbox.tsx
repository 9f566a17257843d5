import { requiredId } from "@/lib/ids.ts";
import { findKeptMail, type KeptMail, listKeptMails, type Mailbox } from "@/lib/mail/log.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Services } from "@/lib/services.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { Pages, pagingOf } from "../paging.tsx";
import { attempt, framedReply, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { logPage } from "./log.tsx";
import { loadMailPage, type MailPage } from "./mail_page.ts";
import { hasMailbox, MailShell } from "./mail_shell.tsx";

const mailboxOf = (c: PageContext<ProjectMember>) => ({ projectId: c.var.principal.project._id });

/** Where mails are only kept, they are what one comes for. */
export const showMail: PageHandler<ProjectMember> = async (c) => {
  const page = await loadMailPage(c);
  return hasMailbox(page) ? await mailboxPage(c, page) : await logPage(c, page);
};

/** The HTML of a mail that is kept, for its frame. */
export const showMailHtml: PageHandler<ProjectMember, "mailId"> = async (c) => {
  const { services } = c.var;
  const id = requiredId(c.req.valid("param").mailId);
  const { html, text } = await findKeptMail(services, mailboxOf(c), id);
  return framedReply(html ?? text);
};

async function mailboxPage(c: PageContext<ProjectMember>, page: MailPage) {
  const { services, state: { query } } = c.var;
  const listed = await keptMailsOf(services, mailboxOf(c), query);
  const t = texts().mail.mailbox;
  return pageReply(
    <MailShell page={page} title={t.title} current={page.path}>
      <KeptMails
        listed={listed}
        path={page.path}
        query={query}
        hint={t.hint}
      />
    </MailShell>,
    { status: listed.problem?.status ?? 200 },
  );
}

/** Each stands there with all it says. */
const MAILS = 20;

interface Listed extends RecordPage<KeptMail> {
  readonly problem: Problem | null;
}

/** One page; a cursor that is none is said beside it. */
export async function keptMailsOf(
  services: Services,
  mailbox: Mailbox,
  query: string,
): Promise<Listed> {
  const tried = await attempt(() => listKeptMails(services, mailbox, pagingOf(query, MAILS)));
  if (tried.problem !== null) return { items: [], nextCursor: null, problem: tried.problem };
  return { ...tried.value, problem: null };
}

export const KeptMails = (
  { listed: { items, nextCursor, problem }, path, query, hint }: {
    listed: Listed;
    path: string;
    query: string;
    /** How one comes by a mail. */
    hint: string;
  },
) => {
  const t = texts().mail.mailbox;
  return (
    <>
      <Refusal problem={problem} />
      <p class="muted">{t.about}</p>
      {items.length === 0 && <p class="empty">{t.none(hint)}</p>}
      {items.map((mail) => <Mail mail={mail} path={path} />)}
      <Pages path={path} query={query} nextCursor={nextCursor} what={texts().mail.pages} />
    </>
  );
};

const Mail = ({ mail, path }: { mail: KeptMail; path: string }) => {
  const t = texts().mail.mailbox;
  const kind = texts().mail.kinds[mail.kind];
  return (
    <article class="card mail">
      <h2>{mail.subject}</h2>
      <p>
        {t.head(kind, <span class="mono">{mail.to}</span>, <When at={mail.createdAt} />)}
      </p>
      <pre tabindex={0} role="group" aria-label={t.text}>{mail.text}</pre>
      {mail.html !== null && (
        <details>
          <summary>{t.asHtml}</summary>
          <iframe
            src={`${path}/kept/${mail.id}`}
            title={t.htmlOf(mail.to)}
            loading="lazy"
            sandbox=""
          >
          </iframe>
        </details>
      )}
    </article>
  );
};
