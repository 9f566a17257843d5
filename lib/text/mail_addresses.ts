import { Secret } from "../crypto/secret.ts";
import { isPlainEmail } from "../emails.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";

export interface SmtpServer {
  /** Host as in a URL, but without the brackets of IPv6 addresses. */
  readonly host: string;
  readonly port: number;
  /** Whether the connection starts with TLS, rather than upgrading later. */
  readonly isSecure: boolean;
  /** Whether the server is on this machine, so that TLS is not required. */
  readonly isLocal: boolean;
  /** Credentials; null if the server does not require authentication. */
  readonly user: { readonly name: string; readonly password: Secret } | null;
}

export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
}

const ADDRESS_LENGTH_MAX = 2048;
const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Parses `smtp://user:password@host:587` or `smtps://host`. Returns null for an invalid text. */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  const port = url === null ? undefined : PORTS[url.protocol];
  // The parser would silently remove white space.
  if (url === null || port === undefined || /[?#\s\\]/.test(text)) return null;
  // The parser normalizes hosts only in URLs of schemes that it knows, such as https.
  const host = URL.parse(`https://${url.host}`);
  const user = parseCredentials(url);
  if (host === null || host.hostname === "" || user === undefined) return null;
  if (!["", "/"].includes(url.pathname)) return null;
  return {
    host: host.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? port : Number(url.port),
    isSecure: url.protocol === "smtps:",
    isLocal: LOCAL_HOSTS.includes(host.hostname),
    user,
  };
}

/** Returns null if there are no credentials, and undefined if they are incomplete or invalid. */
function parseCredentials({ username, password }: URL): SmtpServer["user"] | undefined {
  if (username === "" && password === "") return null;
  if (username === "" || password === "") return undefined;
  try {
    const [name, plain] = [decodeURIComponent(username), decodeURIComponent(password)];
    return CONTROL.test(name + plain) ? undefined : { name, password: new Secret(plain) };
  } catch {
    return undefined;
  }
}

const CONTROL = /\p{Cc}/u;

const MAILBOX = /^(?:([^<>]*)<([^<>]*)>|([^<>]*))$/;
const NAME_LENGTH_MAX = 100;

/** Parses `address` or `Name <address>`. Returns null for an invalid text. */
export function parseMailbox(text: string): Mailbox | null {
  if (text.length > ADDRESS_LENGTH_MAX || CONTROL.test(text) || !text.isWellFormed()) return null;
  const [, label, inside, alone] = MAILBOX.exec(text.trim()) ?? [];
  const address = (inside ?? alone ?? "").trim();
  const name = (label ?? "").trim().replace(/^"(.*)"$/, "$1").trim();
  const isFit = isPlainEmail(address) && name.length <= NAME_LENGTH_MAX &&
    !/["\\\u2028\u2029]/.test(name);
  return isFit ? { name: name === "" ? null : name, address } : null;
}
