import type { MailSettingsInfo } from "@/lib/mail/settings.ts";

type OwnServer = NonNullable<MailSettingsInfo["own"]>;

/** Values of the form of a mail server. Passwords are never sent back. */
export interface EnteredServer {
  readonly host: string;
  readonly port: string;
  /** `smtp` upgrades to TLS with STARTTLS; `smtps` connects with TLS. */
  readonly scheme: string;
  readonly user: string;
  readonly from: string;
  readonly replyTo: string;
}

const SECURE_PORT = 465;

export const enteredServer = (own: OwnServer | null): EnteredServer => ({
  host: own?.host ?? "",
  port: String(own?.port ?? 587),
  scheme: own?.port === SECURE_PORT ? "smtps" : "smtp",
  user: "",
  from: own?.from ?? "",
  replyTo: own?.replyTo ?? "",
});

export function readServer(form: URLSearchParams): EnteredServer {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    host: text("host"),
    port: text("port"),
    scheme: text("scheme") === "smtps" ? "smtps" : "smtp",
    user: text("user"),
    from: text("from"),
    replyTo: text("replyTo"),
  };
}

/** Returns the operation's input. An unchanged server is left out, to keep its password. */
export function serverInput(
  own: OwnServer | null,
  { host, port, scheme, user, from, replyTo }: EnteredServer,
  password: string,
): object {
  const shown = enteredServer(own);
  const isKept = own !== null && user === "" && password === "" && host === shown.host &&
    port === shown.port && scheme === shown.scheme;
  const who = user === "" && password === ""
    ? ""
    : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  const place = host.includes(":") ? `[${host}]` : host;
  return {
    ...(!isKept && { url: `${scheme}://${who}${place}${port === "" ? "" : `:${port}`}` }),
    from,
    replyTo: replyTo === "" ? null : replyTo,
  };
}
