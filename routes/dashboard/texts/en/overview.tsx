import type { Child } from "hono/jsx";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import { counted, countText } from "../amounts.ts";

type Mark = (text: string) => Child;

interface KeyTexts {
  readonly label: string;
  readonly use: string;
  readonly loss: string;
  readonly rotate: string;
  readonly create: string;
  readonly endOld: { readonly ask: string; readonly loss: string; readonly now: string };
}

const keyKinds: Readonly<Record<KeyKind, KeyTexts>> = {
  publishable: {
    label: "Publishable key",
    use: "For browsers and apps; it may be public. What it may do is each collection's access.",
    loss: "Every application with the present publishable key is refused at once, or at the end " +
      "of the time that you choose, until it has the new one.",
    rotate: "Rotate publishable key",
    create: "Create a new publishable key",
    endOld: {
      ask: "End the old publishable key",
      loss: "Whatever still uses the old publishable key is refused at once.",
      now: "End the old publishable key now",
    },
  },
  secret: {
    label: "Secret key",
    use: "For servers only: it reads and changes everything.",
    loss: "Every server with the present secret key is refused at once, or at the end of the " +
      "time that you choose, until it has the new one.",
    rotate: "Rotate secret key",
    create: "Create a new secret key",
    endOld: {
      ask: "End the old secret key",
      loss: "Whatever still uses the old secret key is refused at once.",
      now: "End the old secret key now",
    },
  },
};

const requests = (count: number): string => counted(count, "request", "requests");

export const overview = {
  title: "Overview",
  done: {
    siteUrl: "The Site URL is saved.",
    allowedOrigins: "The allowed origins are saved.",
    formerKey: "The old key is refused from now on.",
  },
  noCollections: {
    admin: (link: Mark) => (
      <>
        There are no collections yet. {link("Create a collection")} for the first documents.
      </>
    ),
    viewer: "There are no collections yet. An admin of the project creates the first collection.",
  },
  keys: {
    title: "Keys",
    about: "A secret key is shown once, when it is created. A lost one is replaced by rotating it.",
    kinds: keyKinds,
    made: (when: Child) => <>made {when}</>,
    oldValidUntil: (when: Child) => <>The old key is valid until {when}.</>,
    newPublishable: {
      oldRefused: "The publishable key is new. The one before is refused.",
      oldWorksUntil: (when: Child) => (
        <>The publishable key is new. The one before works until {when}.</>
      ),
    },
    newSecret: {
      label: "New secret key",
      oldRefused: "It is shown this once: copy it now. The one before is refused.",
      oldWorksUntil: (when: Child) => (
        <>It is shown this once: copy it now. The one before works until {when}.</>
      ),
    },
    seenInBrowser: (origin: Child, when: Child) => (
      <>
        Your secret key was used from a browser, by a page of {origin}:{" "}
        {when}. Anyone who opens that page can read the key. Use the publishable key there, and
        rotate the secret one.
      </>
    ),
    grace: {
      label: "The present key",
      /** Texts by the hours for which the key continues to work. */
      hours: {
        0: "ends now",
        1: "works for one hour",
        24: "works for a day",
        72: "works for three days",
      },
    },
  },
  addresses: {
    title: "Addresses",
    siteUrl: "Site URL",
    noSiteUrl: "none yet",
    origins: "Allowed origins",
    allOrigins: "all",
    originsByLine: "Allowed origins, one on each line",
    originsHint: "If any are listed, browsers may use the publishable key on these pages only, " +
      "and on those of the Site URL.",
    saveOrigins: "Save origins",
  },
  requests: {
    title: "Requests",
    failed: "See those that were refused or failed",
    asTables: "As tables",
    minutes: {
      title: "Last hour",
      ago: (count: number) => `${counted(count, "minute", "minutes")} ago`,
      upTo: (count: number) => `up to ${countText(count)} a minute`,
    },
    days: {
      title: "Last 30 days",
      ago: (count: number) => `${counted(count, "day", "days")} ago`,
      upTo: (count: number) => `up to ${countText(count)} a day`,
    },
    noneYet: "none yet",
    now: "now",
    sum: requests,
    sumWithFailed: (count: number, failed: number) =>
      `${requests(count)}, ${countText(failed)} refused or failed`,
    from: "From",
    refusedOrFailed: "Refused or failed",
    none: "No requests yet: make the first call below.",
  },
  snippets: {
    title: "First calls",
    putKey: (placeholder: Child) => <>Put your own publishable key in place of {placeholder}.</>,
    needsCollection: "A call needs a collection. You say what is in it on the next page.",
    create: (name: string) => `Create the collection ${name}`,
    tokenOf: (token: Child, collection: Child) => (
      <>
        {token} is what a user gets by signing in: {collection} is read by signed-in users alone.
      </>
    ),
    list: "List documents, in a shell",
    createDocument: "Create a document, in JavaScript",
    signIn: "Sign in, as a link on your site",
  },
};
