import type { Child } from "hono/jsx";
import { Bar, ProjectShell, Tabs } from "../components/shell.tsx";
import { texts } from "../texts/mod.ts";
import type { MailPage } from "./mail_page.ts";

/** Whether the pages start with the mailbox instead of the log. */
export const hasMailbox = ({ handling, canEdit }: MailPage): boolean =>
  handling === "kept" && canEdit;

const tabsOf = (page: MailPage) => {
  const { path } = page;
  const t = texts().mail.tabs;
  return [
    ...(hasMailbox(page) ? [{ href: path, label: t.mailbox }] : []),
    { href: hasMailbox(page) ? `${path}/log` : path, label: t.log },
    { href: `${path}/templates`, label: t.templates },
    { href: `${path}/server`, label: t.server },
  ];
};

export const MailShell = (
  { page, title, current, wide = false, children }: {
    page: MailPage;
    title: string;
    current: string;
    wide?: boolean;
    children?: Child;
  },
) => (
  <ProjectShell frame={page.frame} title={title} current={page.path}>
    <Bar title={texts().mail.title}>
      <Tabs label={texts().mail.title} tabs={tabsOf(page)} current={current} />
    </Bar>
    <div class={wide ? "sheet wide" : "sheet"}>{children}</div>
  </ProjectShell>
);
