import type { Child } from "hono/jsx";
import { roleIncludes } from "@/lib/projects/members.ts";
import { ICON, SCRIPTS, STYLES } from "../assets.ts";
import type { Frame } from "../frame.ts";
import { bytesText, countText } from "../texts/amounts.ts";
import { language, LANGUAGES } from "../texts/language.ts";
import { texts } from "../texts/mod.ts";

/** The HTML of all pages. The body has no attributes, because htmx does not replace them. */
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

const Logo = () => (
  <svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true" class="mark">
    <path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z" />
  </svg>
);

/** A page for visitors who are not signed in, or for a problem. */
export const Plain = ({ title, children }: { title: string; children?: Child }) => (
  <Document title={title} kind="plain">
    <main>
      <a class="brand" href="/dashboard">
        <Logo />
        <span>Corbel</span>
      </a>
      {children}
    </main>
    <footer>
      <LanguageForm />
    </footer>
  </Document>
);

const NavItem = (
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

/** A page without scripts, forms and links, for visitors without an account. */
export const Bare = ({ title, children }: { title: string; children?: Child }) => (
  <Document title={title} kind="plain" scripts={[]}>
    <main>{children}</main>
  </Document>
);

interface ShellProps {
  readonly title: string;
  /** Path of the navigation item to which the page belongs. */
  readonly current: string;
  readonly children?: Child;
}

/** Choice of the language. Not boosted by htmx, so that the browser reloads the page. */
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

const Footer = ({ email, plan, current }: { email: string; plan: string; current: string }) => (
  <div class="foot">
    <NavItem href="/dashboard/account" label={email} count={plan} current={current} />
    <form method="post" action="/dashboard/sign-out">
      <button class="link">{texts().shell.signOut}</button>
    </form>
    <LanguageForm />
  </div>
);

const SideNavigation = ({ label, children }: { label: string; children?: Child }) => (
  <>
    <a class="skip" href="#content">{texts().shell.skip}</a>
    <header class="top">
      <button type="button" class="quiet" popovertarget="menu">{texts().shell.menu}</button>
      <a class="brand" href="/dashboard">
        <Logo />
        <span>Corbel</span>
      </a>
    </header>
    <nav id="menu" class="side" popover="auto" aria-label={label}>
      <a class="brand" href="/dashboard">
        <Logo />
        <span>Corbel</span>
      </a>
      {children}
    </nav>
  </>
);

/** Id of the element for the note that a form was sent after the session had ended. */
export const UNSENT = "unsent";

const Main = ({ children }: { children?: Child }) => (
  <main id="content">
    <div id={UNSENT} aria-live="assertive"></div>
    {children}
  </main>
);

export const AccountShell = (
  { title, current, email, plan, children }: ShellProps & { email: string; plan: string },
) => (
  <Document title={title} kind="framed">
    <SideNavigation label={texts().shell.ofAccount}>
      <NavItem href="/dashboard" label={texts().shell.projects} current={current} />
      <NavItem href="/dashboard/account" label={texts().shell.account} current={current} />
      <Footer email={email} plan={plan} current="" />
    </SideNavigation>
    <Main>{children}</Main>
  </Document>
);

export const ProjectShell = (
  { frame, title, current, children }: ShellProps & { frame: Frame },
) => {
  const { home, collections } = frame;
  const at = { current };
  const t = texts().shell;
  return (
    <Document title={`${title} · ${frame.name}`} kind="framed">
      <SideNavigation label={t.ofProject}>
        <a class="project" href="/dashboard">
          <b>{frame.name}</b>
          <small>{t.allProjects}</small>
        </a>
        <h2>{t.data}</h2>
        {collections.map(({ name, count }) => (
          <NavItem
            href={`${home}/collections/${name}`}
            label={name}
            count={countText(count)}
            {...at}
          />
        ))}
        <NavItem
          href={`${home}/collections`}
          label={roleIncludes(frame.role, "admin") ? t.newCollection : t.allCollections}
          {...at}
        />
        <h2>{t.project}</h2>
        <NavItem href={home} label={t.overview} {...at} />
        <NavItem href={`${home}/users`} label={t.users} count={countText(frame.users)} {...at} />
        <NavItem
          href={`${home}/files`}
          label={t.files}
          count={bytesText(frame.fileBytes)}
          {...at}
        />
        <NavItem href={`${home}/sign-in`} label={t.signIn} {...at} />
        <NavItem href={`${home}/mail`} label={t.mail} {...at} />
        <NavItem href={`${home}/webhooks`} label={t.webhooks} {...at} />
        <NavItem href={`${home}/ai`} label={t.ai} {...at} />
        <NavItem href={`${home}/members`} label={t.members} {...at} />
        <NavItem href={`${home}/settings`} label={t.settings} {...at} />
        <Footer email={frame.email} plan={frame.plan} current="" />
      </SideNavigation>
      <Main>{children}</Main>
    </Document>
  );
};

export const Bar = ({ title, children }: { title: string; children?: Child }) => (
  <div class="bar">
    <h1 title={title}>{title}</h1>
    {children}
  </div>
);

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
