import type { Child } from "hono/jsx";
import type { LoggedMail } from "@/lib/mail/log.ts";
import { countText } from "../amounts.ts";

const kinds: Readonly<Record<LoggedMail["kind"], string>> = {
  verify: "Verify an e-mail",
  resetPassword: "Reset a password",
  code: "Sign in by a code",
  emailChange: "Confirm a new e-mail",
  emailChanged: "An e-mail was changed",
  accountExists: "An account exists already",
  invitation: "Invitation",
  webhookFailed: "A webhook does not get through",
  limitReached: "A limit is reached",
  custom: "Sent by your application",
};

const states: Readonly<Record<LoggedMail["state"], string>> = {
  queued: "queued",
  sent: "sent",
  failed: "failed",
  kept: "kept",
};

export const mail = {
  title: "Mail",
  kinds,
  states,
  /** Name of the items in page links, in the plural. */
  pages: "mails",
  tabs: { mailbox: "Mailbox", log: "Log", templates: "Templates", server: "Server" },
  log: {
    title: "Mail log",
    about: (days: number) =>
      `Mails of the last ${days} days. One that fails on the way is tried again after 1, 5, 15, ` +
      "60 and 240 minutes.",
    none: "No mail so far. Sign-up, codes and your application send some.",
    kept: "Mails are not sent here. They are kept for developers.",
    impossible: "No mail can be sent: neither this project nor this server has a mail server.",
    setServer: "Set a mail server",
    mails: "Mails",
    to: "To",
    state: "State",
    when: "When",
    byOwnServer: "by your server",
    tried: (count: number) => count === 1 ? "tried once" : `tried ${countText(count)} times`,
    sentAt: (when: Child) => <>sent {when}</>,
    sendAgain: "Send again",
    sendAgainTo: (to: string) => `Send again to ${to}`,
    done: { again: "The mail is on its way again." },
  },
  mailbox: {
    title: "Mailbox",
    about: "Mails are not sent here, but kept for developers: this is all that would have " +
      "been sent, the newest first.",
    hint: "Sign up with any address, or send one with your secret key, and it is here.",
    /** @param hint How one comes by a mail, a sentence. */
    none: (hint: string) => `No mail so far. ${hint}`,
    head: (kind: string, to: Child, when: Child) => <>{kind} · to {to} · {when}</>,
    text: "Text",
    asHtml: "As HTML",
    htmlOf: (to: string) => `HTML of the mail to ${to}`,
  },
  server: {
    title: "Mail server",
    done: {
      saved: "The mail server is saved. Send a test to see whether it takes mail.",
      language: "The language is saved.",
      cleared: "The mail server is disconnected.",
    },
  },
  sender: {
    title: "Who sends",
    own: "your server",
    sent: "this server",
    kept: "nobody",
    impossible: "nobody",
    ofMonth: "Mails this month",
    aboutOwn: (host: string) =>
      `Mails go out by ${host}, as many as that server takes. Templates, sign-up and your ` +
      "application all use it.",
    about: {
      sent: "Mails go out by this server's own mail server, up to the plan's limit a " +
        "month. Those of sign-in count too, and are never refused for it.",
      kept: "Mails are kept for developers, and not sent. A server of your own sends them.",
      impossible: "No mail can be sent: neither this project nor this server has a mail server.",
    },
  },
  ownServer: {
    title: "Your own server",
    none: "None.",
    server: "Server",
    host: "Host",
    port: "Port",
    where: "Check host and port, and give user and password both or neither.",
    encryption: "Encryption",
    startTls: "STARTTLS, mostly port 587",
    tls: "TLS, mostly port 465",
    user: "User",
    password: "Password",
    passwordStored: "stored",
    noPassword: "none",
    keep: "stored, leave empty to keep",
    from: "From",
    fromSample: "Blog <blog@example.com>",
    replyTo: "Replies to",
    theSender: "the sender",
    save: "Save server",
    test: (to: string) => `Send a test to ${to}`,
    tested: (to: string, answer: string) => `The server took a mail to ${to}. It said: ${answer}`,
    disconnect: "Disconnect",
    disconnectLoss: "Mails that wait for this server fail. Its address and password are gone.",
    disconnectNow: "Disconnect the server",
  },
  language: {
    title: "Language",
    about: "For mails to users whose languages do not have a template. Corbel's own words " +
      "are English.",
    ofMails: "Language of mails",
    hint: "As en or pt-BR; empty for English.",
    save: "Save language",
    english: "English",
  },
  templates: {
    title: "Mail templates",
    about: "What mails say. Corbel has words of its own, in English; a template of yours takes " +
      "their place, in each language that you write one in.",
    ofCorbel: "Mails that Corbel sends",
    ofApplication: "Templates of your application",
    named: () => (
      <>
        Your server names one as <code>templateName</code> when it sends a mail.
      </>
    ),
    none: "None so far.",
    builtIn: "Corbel's words",
    builtInOf: (kind: string) => `${kind}, Corbel's words`,
    done: { deleted: "The template is deleted: Corbel's own words are sent again." },
    create: {
      title: "New template",
      name: "Name",
      nameHint: "One of the names above for another language of it, or a name of your own.",
      badName: "A name has 1 to 50 letters, digits and -, and begins with a small letter.",
      language: "Language",
      badLanguage: "The language must be one as en or pt-BR.",
      write: "Write it",
    },
  },
  template: {
    own: "yours",
    builtIn: "Corbel's words",
    filledIn: (variables: Child) => <>Filled in: {variables}</>,
    filledInByServer: () => (
      <>
        <code>{"{{name}}"}</code> is filled in by the <code>variables</code> that your server sends.
      </>
    ),
    subject: "Subject",
    text: "Text",
    textHint: "For mail programs without HTML. Left empty, it is made of the HTML.",
    html: "HTML",
    save: "Save template",
    preview: "Preview",
    delete: "Delete this template",
    deleteLoss: "Its words are gone. Where Corbel has words of its own, these are sent again.",
    deleteNow: "Delete the template",
    done: { saved: "The template is saved." },
  },
  preview: {
    title: "Preview",
    html: "HTML of the mail",
    text: "Text",
    asText: "As text",
    none: "No preview",
  },
};
