import type { Child } from "hono/jsx";
import { Bar, ProjectShell, Tabs } from "../components/shell.tsx";
import type { MailPage } from "./mail_page.ts";

/** Whether the mailbox is the first page, and the log the next one. */
export const hasMailbox = ({ fate, canEdit }: MailPage): boolean => fate === "kept" && canEdit;

/** The tabs of the mail pages, by what their paths end in. */
const tabsOf = (page: MailPage) => {
  const { path } = page;
  return [
    ...(hasMailbox(page) ? [{ href: path, label: "Mailbox" }] : []),
    { href: hasMailbox(page) ? `${path}/log` : path, label: "Log" },
    { href: `${path}/templates`, label: "Templates" },
    { href: `${path}/server`, label: "Server" },
  ];
};

export const MailShell = (
  { page, title, current, wide = false, children }: {
    page: MailPage;
    title: string;
    /** The path of its tab. */
    current: string;
    wide?: boolean;
    children?: Child;
  },
) => (
  <ProjectShell frame={page.frame} title={title} current={page.path}>
    <Bar title="Mail">
      <Tabs label="Mail" tabs={tabsOf(page)} current={current} />
    </Bar>
    <div class={wide ? "sheet wide" : "sheet"}>{children}</div>
  </ProjectShell>
);
