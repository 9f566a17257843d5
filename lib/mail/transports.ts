import pLimit from "p-limit";
import { type Egress, openConnection } from "../http/egress.ts";
import type { MailSettings } from "../runtime/config.ts";
import { parseSmtpUrl, type SmtpServer } from "../text/mail_addresses.ts";
import { openSmtp } from "./smtp.ts";
import type { MailTransport } from "./transport.ts";

/** Maximum number of connections to the platform's server, which may refuse more. */
const PLATFORM_CONNECTIONS_MAX = 20;

export interface MailTransports {
  /** Transport to the platform's server; null if it has none. */
  readonly platform: MailTransport | null;
  /** Opens a transport to a project's own server, through the egress guard. */
  own(server: SmtpServer): MailTransport;
}

export function createMailTransports(
  { mail, publicUrl }: { readonly mail: MailSettings; readonly publicUrl: string },
  egress: Pick<Egress, "connect">,
): MailTransports {
  const name = new URL(publicUrl).hostname;
  const server = mail.url === null ? null : parseSmtpUrl(mail.url.reveal());
  const platform = server && openSmtp(server, { name, connect: openConnection });
  const connections = pLimit(PLATFORM_CONNECTIONS_MAX);
  return {
    platform: platform && { send: (mail) => connections(() => platform.send(mail)) },
    own: (server) => openSmtp(server, { name, connect: (place) => egress.connect(place) }),
  };
}
