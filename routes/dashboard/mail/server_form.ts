import type { ShownMailSettings } from "@/lib/mail/settings.ts";

type OwnServer = NonNullable<ShownMailSettings["own"]>;

/** The server as a form has it, piece by piece. A password that was sent is never sent back. */
export interface EnteredServer {
  readonly host: string;
  readonly port: string;
  /** `smtp` asks for TLS on the way, `smtps` begins with it. */
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

export function typedServer(form: URLSearchParams): EnteredServer {
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

/**
 * As the contract of the operation takes it. The stored server stays where nothing of it is other
 * than shown: then its password need not be entered again.
 */
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
