import { CODE_PAUSE_MS, CODES_PER_HOUR } from "@/lib/limits.ts";
import { EmailVerified, MessageOnly } from "./schemas/user_session.ts";

export const messageAnswer = (description: string, message: string) => ({
  status: 200,
  description,
  data: MessageOnly,
  name: "ToldAnswer",
  example: { message },
  message,
});

export const EMAIL_VERIFIED = {
  ...messageAnswer("The address is verified.", "E-mail verified"),
  data: EmailVerified,
  name: "EmailVerifiedAnswer",
};

/** Note for operations that must not reveal whether an address has an account. */
export const SAME_ANSWER =
  "The answer and its timing do not show whether the address has an account. For each purpose, " +
  `an address gets at most one code in ${CODE_PAUSE_MS / 1000} seconds and ` +
  `${CODES_PER_HOUR} in an hour; beyond that nothing is sent.`;
