import { requiredId } from "@/lib/ids.ts";
import { findKeptMail, type KeptMail, listKeptMails } from "@/lib/mail/log.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { Pages, pagingOf } from "../paging.tsx";
import { attempt, framedReply, pageReply } from "../replies.ts";
import { KINDS } from "./kinds.ts";
import { logPage } from "./log.tsx";
import { loadMailPage, type MailPage } from "./mail_page.ts";
import { hasMailbox, MailShell } from "./mail_shell.tsx";

/** Each stands there with all it says. */
const MAILS = 20;

const NONE = { items: [], nextCursor: null };

/** Where mails are only kept, they are what one comes for. */
export const showMail: PageHandler<ProjectMember> = async (c) => {
  const page = await loadMailPage(c);
  return hasMailbox(page) ? await mailboxPage(c, page) : await logPage(c, page);
};

/** The HTML of a mail that is kept, for its frame. */
export const showMailHtml: PageHandler<ProjectMember, "mailId"> = async (c) => {
  const { services, principal } = c.var;
  const id = requiredId(c.req.valid("param").mailId);
  const { html, text } = await findKeptMail(services, principal.project._id, id);
  return framedReply(html ?? text);
};

async function mailboxPage(c: PageContext<ProjectMember>, page: MailPage) {
  const { services, principal, state: { query } } = c.var;
  const tried = await attempt(() =>
    listKeptMails(services, principal.project._id, pagingOf(query, MAILS))
  );
  const { items, nextCursor }: RecordPage<KeptMail> = tried.problem === null ? tried.value : NONE;
  return pageReply(
    <MailShell page={page} title="Mailbox" current={page.path}>
      <Refusal problem={tried.problem} />
      <p class="muted">
        Mails are not sent here, but kept for whoever develops: this is all that would have been
        sent, the newest first.
      </p>
      {items.length === 0 && (
        <p class="empty">
          No mail so far. Sign up with any address, or send one with your secret key, and it is
          here.
        </p>
      )}
      {items.map((mail) => <Mail mail={mail} path={page.path} />)}
      <Pages path={page.path} query={query} nextCursor={nextCursor} what="mails" />
    </MailShell>,
    { status: tried.problem?.status ?? 200 },
  );
}

const Mail = ({ mail, path }: { mail: KeptMail; path: string }) => (
  <article class="card mail">
    <h2>{mail.subject}</h2>
    <p>
      {KINDS[mail.kind]} · to <span class="mono">{mail.to}</span> · <When at={mail.createdAt} />
    </p>
    <pre tabindex={0} role="group" aria-label="Text">{mail.text}</pre>
    {mail.html !== null && (
      <details>
        <summary>As HTML</summary>
        <iframe
          src={`${path}/kept/${mail.id}`}
          title={`HTML of the mail to ${mail.to}`}
          loading="lazy"
          sandbox=""
        >
        </iframe>
      </details>
    )}
  </article>
);
