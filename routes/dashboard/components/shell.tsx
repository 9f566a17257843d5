import type { Child } from "hono/jsx";
import { includes } from "@/lib/projects/members.ts";
import { ICON, SCRIPTS, STYLES } from "../assets.ts";
import type { Frame } from "../frame.ts";
import { bytesText, countText } from "../texts/amounts.ts";
import { language, LANGUAGES } from "../texts/language.ts";
import { texts } from "../texts/mod.ts";

/**
 * What every page is. With scripts, links and forms replace what is in the body and nothing about
 * it, so that it has no attributes of one page.
 */
const Document = (
  { title, kind, scripts = SCRIPTS, children }: {
    title: string;
    kind: string;
    scripts?: typeof SCRIPTS;
    children?: Child;
  },
) => (
  <html lang={language()}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Corbel`}</title>
      <link rel="icon" href={ICON.path} />
      {STYLES.map(({ path }) => <link rel="stylesheet" href={path} />)}
      {scripts.map(({ path }) => <script type="module" src={path}></script>)}
    </head>
    <body hx-boost:inherited="true">
      <div class={kind}>{children}</div>
    </body>
  </html>
);

const Mark = () => (
  <svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true" class="mark">
    <path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z" />
  </svg>
);

/** A page for who is not signed in, or for one that has gone wrong. */
export const Plain = ({ title, children }: { title: string; children?: Child }) => (
  <Document title={title} kind="plain">
    <main>
      <a class="brand" href="/dashboard">
        <Mark />
        <span>Corbel</span>
      </a>
      {children}
    </main>
    <footer>
      <LanguageForm />
    </footer>
  </Document>
);

const Item = (
  { href, label, count, current }: {
    href: string;
    label: string;
    count?: string | undefined;
    current: string;
  },
) => (
  <a href={href} aria-current={href === current ? "page" : undefined}>
    <span>{label}</span>
    {count !== undefined && <small>{count}</small>}
  </a>
);

/** A page for visitors who may have no account here: it has no scripts, forms or links. */
export const Bare = ({ title, children }: { title: string; children?: Child }) => (
  <Document title={title} kind="plain" scripts={[]}>
    <main>{children}</main>
  </Document>
);

interface ShellProps {
  readonly title: string;
  /** The path of the item in the left column that this page belongs to. */
  readonly current: string;
  readonly children?: Child;
}

/** In which language pages are. It is sent by the browser itself, so that the page begins anew. */
const LanguageForm = () => (
  <form method="post" action="/dashboard/language" class="language" hx-boost="false">
    <select name="language" aria-label={texts().shell.language}>
      {Object.entries(LANGUAGES).map(([value, name]) => (
        <option value={value} lang={value} selected={value === language()}>
          {name}
        </option>
      ))}
    </select>
    <button class="link">{texts().shell.change}</button>
  </form>
);

const Foot = ({ email, plan, current }: { email: string; plan: string; current: string }) => (
  <div class="foot">
    <Item href="/dashboard/account" label={email} count={plan} current={current} />
    <form method="post" action="/dashboard/sign-out">
      <button class="link">{texts().shell.signOut}</button>
    </form>
    <LanguageForm />
  </div>
);

const Side = ({ label, children }: { label: string; children?: Child }) => (
  <>
    <a class="skip" href="#content">{texts().shell.skip}</a>
    <header class="top">
      <button type="button" class="quiet" popovertarget="menu">{texts().shell.menu}</button>
      <a class="brand" href="/dashboard">
        <Mark />
        <span>Corbel</span>
      </a>
    </header>
    <nav id="menu" class="side" popover="auto" aria-label={label}>
      <a class="brand" href="/dashboard">
        <Mark />
        <span>Corbel</span>
      </a>
      {children}
    </nav>
  </>
);

/** Where a form that came too late says so, and stays as it is. */
export const UNSENT = "unsent";

const Main = ({ children }: { children?: Child }) => (
  <main id="content">
    <div id={UNSENT} aria-live="assertive"></div>
    {children}
  </main>
);

/** A page of the account: nothing in it belongs to one project. */
export const AccountShell = (
  { title, current, email, plan, children }: ShellProps & { email: string; plan: string },
) => (
  <Document title={title} kind="framed">
    <Side label={texts().shell.ofAccount}>
      <Item href="/dashboard" label={texts().shell.projects} current={current} />
      <Item href="/dashboard/account" label={texts().shell.account} current={current} />
      <Foot email={email} plan={plan} current="" />
    </Side>
    <Main>{children}</Main>
  </Document>
);

/** A page of a project, beside what else there is in it. */
export const ProjectShell = (
  { frame, title, current, children }: ShellProps & { frame: Frame },
) => {
  const { home, collections } = frame;
  const at = { current };
  const t = texts().shell;
  return (
    <Document title={`${title} · ${frame.name}`} kind="framed">
      <Side label={t.ofProject}>
        <a class="project" href="/dashboard">
          <b>{frame.name}</b>
          <small>{t.allProjects}</small>
        </a>
        <h2>{t.data}</h2>
        {collections.map(({ name, count }) => (
          <Item
            href={`${home}/collections/${name}`}
            label={name}
            count={countText(count)}
            {...at}
          />
        ))}
        <Item
          href={`${home}/collections`}
          label={includes(frame.role, "admin") ? t.newCollection : t.allCollections}
          {...at}
        />
        <h2>{t.project}</h2>
        <Item href={home} label={t.overview} {...at} />
        <Item href={`${home}/users`} label={t.users} count={countText(frame.users)} {...at} />
        <Item href={`${home}/files`} label={t.files} count={bytesText(frame.fileBytes)} {...at} />
        <Item href={`${home}/sign-in`} label={t.signIn} {...at} />
        <Item href={`${home}/mail`} label={t.mail} {...at} />
        <Item href={`${home}/webhooks`} label={t.webhooks} {...at} />
        <Item href={`${home}/ai`} label={t.ai} {...at} />
        <Item href={`${home}/members`} label={t.members} {...at} />
        <Item href={`${home}/settings`} label={t.settings} {...at} />
        <Foot email={frame.email} plan={frame.plan} current="" />
      </Side>
      <Main>{children}</Main>
    </Document>
  );
};

/** What a page is about, at its head, with what can be done there. */
export const Bar = ({ title, children }: { title: string; children?: Child }) => (
  <div class="bar">
    <h1 title={title}>{title}</h1>
    {children}
  </div>
);

/** One of the pages of the same thing. */
export interface Tab {
  readonly href: string;
  readonly label: string;
}

export const Tabs = (
  { tabs, current, label }: { tabs: readonly Tab[]; current: string; label: string },
) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, label }) => (
      <a href={href} aria-current={href === current ? "page" : undefined}>{label}</a>
    ))}
  </nav>
);
