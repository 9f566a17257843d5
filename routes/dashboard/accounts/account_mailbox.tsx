import { getOwnAccount } from "@/lib/accounts/own_account.ts";
import { requiredId } from "@/lib/ids.ts";
import { findKeptMail } from "@/lib/mail/log.ts";
import { Problem } from "@/lib/problems.ts";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { AccountShell, Bar } from "../components/shell.tsx";
import { KeptMails, loadKeptMails } from "../mail/mailbox.tsx";
import { framedReply, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { ACCOUNT, MAILBOX } from "./account.tsx";

/** Throws `ROUTE_NOT_FOUND` if mails are sent instead of kept. */
async function requireMailbox(c: PageContext<SignedInAccount>) {
  const { services, principal } = c.var;
  if (!services.config.mail.keeps) throw new Problem("ROUTE_NOT_FOUND");
  return { account: await getOwnAccount(services, principal) };
}

export const showAccountMailbox: PageHandler<SignedInAccount> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const listed = await loadKeptMails(services, await requireMailbox(c), query);
  const t = texts().accounts.mailbox;
  return pageReply(
    <AccountShell title={t.title} current={ACCOUNT} {...principal}>
      <Bar title={t.title} />
      <div class="sheet">
        <KeptMails
          listed={listed}
          path={MAILBOX}
          query={query}
          hint={t.hint}
        />
      </div>
    </AccountShell>,
    { status: listed.problem?.status ?? 200 },
  );
};

export const showAccountMailHtml: PageHandler<SignedInAccount, "mailId"> = async (c) => {
  const id = requiredId(c.req.valid("param").mailId);
  const { html, text } = await findKeptMail(c.var.services, await requireMailbox(c), id);
  return framedReply(html ?? text);
};
