import { requiredId } from "@/lib/ids.ts";
import { findKeptMail, type KeptMail, listKeptMails, type Mailbox } from "@/lib/mail/log.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Services } from "@/lib/services.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { PageLinks, readPaging } from "../paging.tsx";
import { attempt, framedReply, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { logPage } from "./log.tsx";
import { loadMailPage, type MailPage } from "./mail_page.ts";
import { hasMailbox, MailShell } from "./mail_shell.tsx";

const mailboxOf = (c: PageContext<ProjectMember>) => ({ projectId: c.var.principal.project._id });

/** Shows the mailbox if mails are kept, else the log. */
export const showMail: PageHandler<ProjectMember> = async (c) => {
  const page = await loadMailPage(c);
  return hasMailbox(page) ? await mailboxPage(c, page) : await logPage(c, page);
};

export const showMailHtml: PageHandler<ProjectMember, "mailId"> = async (c) => {
  const { services } = c.var;
  const id = requiredId(c.req.valid("param").mailId);
  const { html, text } = await findKeptMail(services, mailboxOf(c), id);
  return framedReply(html ?? text);
};

async function mailboxPage(c: PageContext<ProjectMember>, page: MailPage) {
  const { services, state: { query } } = c.var;
  const listed = await loadKeptMails(services, mailboxOf(c), query);
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

/** Maximum number of mails on a page, each shown with its full text. */
const MAILS_MAX = 20;

interface KeptMailPage extends RecordPage<KeptMail> {
  readonly problem: Problem | null;
}

/** Loads a page of kept mails, or the problem of an invalid cursor. */
export async function loadKeptMails(
  services: Services,
  mailbox: Mailbox,
  query: string,
): Promise<KeptMailPage> {
  const result = await attempt(() =>
    listKeptMails(services, mailbox, readPaging(query, MAILS_MAX))
  );
  if (result.problem !== null) return { items: [], nextCursor: null, problem: result.problem };
  return { ...result.value, problem: null };
}

export const KeptMails = (
  { listed: { items, nextCursor, problem }, path, query, hint }: {
    listed: KeptMailPage;
    path: string;
    query: string;
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
      <PageLinks path={path} query={query} nextCursor={nextCursor} what={texts().mail.pages} />
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
