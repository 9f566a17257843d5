/** What operations answer that send codes or take them, of accounts and users alike. */

import { CODE_PAUSE_MS, CODES_PER_HOUR } from "@/lib/limits.ts";
import { EmailVerified, Told } from "./schemas/user_session.ts";

/** An answer that is a message alone. */
export const told = (description: string, message: string) => ({
  status: 200,
  description,
  data: Told,
  name: "ToldAnswer",
  example: { message },
  message,
});

/** The answer of an operation that verifies an e-mail by a code. */
export const EMAIL_VERIFIED = {
  ...told("The address is verified.", "E-mail verified"),
  data: EmailVerified,
  name: "EmailVerifiedAnswer",
};

/** Of what must not tell who has an address. */
export const SAME_ANSWER =
  "The answer is the same, and takes the same time, whoever has the address. To " +
  `one address goes one code a purpose within ${CODE_PAUSE_MS / 1000} seconds and ` +
  `${CODES_PER_HOUR} within an hour; beyond that nothing is sent.`;
