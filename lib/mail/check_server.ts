import { randomToken } from "../crypto/random.ts";
import { Problem } from "../problems.ts";
import type { Id } from "../store/port.ts";
import { findOwnSender, type MailServices } from "./send_mail.ts";
import { MailDelayed, MailRefused } from "./transport.ts";

export interface MailServerCheck {
  readonly to: string;
  /** Response of the mail server. */
  readonly answer: string;
}

/** Throws `INVALID_INPUT` without a server, `MAIL_SERVER_REFUSED`, `MAIL_SERVER_UNREACHABLE`. */
export async function checkMailServer(
  services: Pick<MailServices, "engine" | "keyRing" | "mailTransports" | "clock">,
  projectId: Id,
  to: string,
): Promise<MailServerCheck> {
  const sender = await findOwnSender(services, projectId);
  if (sender === null) {
    throw new Problem("INVALID_INPUT", {
      message: "The project has no mail server of its own to check: set it first.",
    });
  }
  const { transport, from } = sender;
  try {
    const answer = await transport.send({
      from,
      to,
      replyTo: null,
      subject: "Corbel can send mail by your server",
      text: "This mail was sent by the mail server that is set for your project.\n",
      html: null,
      messageId: `<${randomToken(18)}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
      date: services.clock.now(),
    });
    return { to, answer };
  } catch (error) {
    if (error instanceof MailRefused) {
      throw new Problem("MAIL_SERVER_REFUSED", { message: error.message, cause: error });
    }
    if (!(error instanceof MailDelayed)) throw error;
    throw new Problem("MAIL_SERVER_UNREACHABLE", { message: error.message, cause: error });
  }
}
