import type { Child } from "hono/jsx";
import type { Contract } from "@/openapi/contract.ts";
import { CONTRACTS, TAG_GROUPS } from "@/openapi/document.ts";
import { SCRIPT, STYLE } from "./assets.ts";

export interface OperationGroup {
  readonly group: string;
  readonly tags: readonly {
    readonly tag: string;
    readonly about: string;
    readonly operations: readonly Contract<unknown>[];
  }[];
}

export const OPERATION_GROUPS: readonly OperationGroup[] = TAG_GROUPS.map(({ name, tags }) => ({
  group: name,
  tags: Object.entries(tags).map(([tag, about]) => ({
    tag,
    about,
    operations: CONTRACTS.filter((one) => one.tag === tag),
  })),
}));

export const operationPath = (operationId: string): string => `/docs/operations/${operationId}`;

export const tagAnchor = (tag: string): string => tag.toLowerCase().replaceAll(" ", "-");

export const Frame = (
  { title, current, children }: {
    title: string;
    /** Path of the page, marked as current in the navigation. */
    current: string;
    children?: Child;
  },
) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Corbel`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={STYLE.path} />
      <script type="module" src={SCRIPT.path}></script>
    </head>
    <body>
      <a class="skip" href="#content">Skip to content</a>
      <header>
        <a class="brand" href="/docs">
          <svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
            <path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z" />
          </svg>
          Corbel
        </a>
        <nav aria-label="Pages">
          <Item href="/docs" current={current}>Reference</Item>
          <a href="/docs#operations">Operations</a>
          <a href="/docs#guides">Guides</a>
          <Item href="/docs/errors" current={current}>Errors</Item>
          <a href="/docs/full">Full reference</a>
          <a href="/openapi.json">openapi.json</a>
          <a href="/dashboard">Dashboard</a>
        </nav>
      </header>
      <div class="columns">
        <Side current={current} />
        <main id="content">{children}</main>
      </div>
    </body>
  </html>
);

const Item = (
  { href, current, children }: { href: string; current: string; children?: Child },
) => <a href={href} aria-current={href === current ? "page" : undefined}>{children}</a>;

/** Navigation with all operations by tag. Hidden on phones, which use the start page's list. */
const Side = ({ current }: { current: string }) => (
  <nav class="side" aria-label="Operations">
    {OPERATION_GROUPS.map(({ group, tags }) => (
      <>
        <h2>{group}</h2>
        {tags.map(({ tag, operations }) => (
          <details
            open={operations.some(({ operationId }) => operationPath(operationId) === current)}
          >
            <summary>{tag}</summary>
            <ul>
              {operations.map(({ operationId, summary }) => (
                <li>
                  <Item href={operationPath(operationId)} current={current}>{summary}</Item>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </>
    ))}
  </nav>
);

/** Search field, hidden until the script that implements it shows it. */
export const Search = ({ what }: { what: string }) => (
  <form class="search" role="search" hidden>
    <label>
      Search {what} (press /)
      <input type="search" data-search autocomplete="off" spellcheck={false} />
    </label>
    <output class="hint" aria-live="polite" data-found></output>
  </form>
);

export const Method = ({ method }: { method: string }) => (
  <span class={`method ${method.toLowerCase()}`}>{method.toUpperCase()}</span>
);

/** Code to copy. @param apiKey Key in the text, which scripts replace by the reader's key. */
export const Code = ({ label, text, apiKey }: { label: string; text: string; apiKey?: string }) => (
  <pre tabindex={0} role="group" aria-label={label}>
    <code>
      {(apiKey === undefined ? [text] : text.split(apiKey)).map((part, i) => (
        <>
          {i > 0 && <span data-key-text>{apiKey}</span>}
          {part}
        </>
      ))}
    </code>
  </pre>
);
