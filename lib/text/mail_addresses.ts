import { Secret } from "../crypto/secret.ts";
import { isPlainEmail } from "../emails.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";

/** A server that takes mail. */
export interface SmtpServer {
  /** As a URL spells it, but without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the connection. */
  readonly isSecure: boolean;
  /** Whether it is this machine: then nothing travels, and TLS is not asked for. */
  readonly isLocal: boolean;
  /** Null where the server takes mail from whoever connects. */
  readonly user: { readonly name: string; readonly password: Secret } | null;
}

/** Whom a mail is from: a name beside an address. */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
}

const ADDRESS_LENGTH_MAX = 2048;
const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/**
 * Reads `smtp://user:password@host:587` or `smtps://…`, of which user and password are
 * percent-encoded, and the port may be left out; null for anything else.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = text.length > ADDRESS_LENGTH_MAX ? null : URL.parse(text);
  const port = url === null ? undefined : PORTS[url.protocol];
  // The parser would leave out white space within.
  if (url === null || port === undefined || /[?#\s\\]/.test(text)) return null;
  // Of schemes that it does not know, it leaves the host as it is spelt.
  const host = URL.parse(`https://${url.host}`);
  const user = userOf(url);
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

/** Undefined for what is not both or neither, or cannot be sent. */
function userOf({ username, password }: URL): SmtpServer["user"] | undefined {
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

/** Reads `address`, or `Name <address>` with or without quotes around the name; null for else. */
export function parseMailbox(text: string): Mailbox | null {
  if (text.length > ADDRESS_LENGTH_MAX || CONTROL.test(text) || !text.isWellFormed()) return null;
  const [, beside, inside, alone] = MAILBOX.exec(text.trim()) ?? [];
  const address = (inside ?? alone ?? "").trim();
  const name = (beside ?? "").trim().replace(/^"(.*)"$/, "$1").trim();
  const isFit = isPlainEmail(address) && name.length <= NAME_LENGTH_MAX &&
    !/["\\\u2028\u2029]/.test(name);
  return isFit ? { name: name === "" ? null : name, address } : null;
}
