import pLimit from "p-limit";
import { type Egress, openConnection } from "../http/egress.ts";
import type { MailSettings } from "../runtime/config.ts";
import { parseSmtpUrl, type SmtpServer } from "../text/mail_addresses.ts";
import { openSmtp } from "./smtp.ts";
import type { MailTransport } from "./transport.ts";

/** Connections to the platform's mail server at once: servers refuse more than a few dozen. */
const PLATFORM_CONNECTIONS_MAX = 20;

/** The ways to mail servers. */
export interface MailTransports {
  /** To the platform's; null where it has none. */
  readonly platform: MailTransport | null;
  /** To a server that a project has named: only what the egress guard admits is connected to. */
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
