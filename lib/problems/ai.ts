/** What only the AI operations refuse for; part of the one catalogue. */
export const AI_PROBLEMS = {
  AI_KEY_MALFORMED: {
    status: 400,
    message: "Invalid key format; key must start with gsk_",
    when: "The AI key does not start with `gsk_`, is longer than 200 characters, or holds a " +
      "character that no key can have.",
  },
  AI_KEY_REJECTED: {
    status: 401,
    message: "Invalid user-supplied AI key",
    when: "The AI provider does not take the key that the project or the account has stored: it " +
      "answers 401 or 403.",
  },
  PRO_PLAN_REQUIRED: {
    status: 403,
    message: "Feature requires the Pro plan; upgrade",
    when: "An AI key of one's own is saved on a plan without that capability.",
  },
  AI_CAP_REACHED: {
    status: 403,
    message: "The cap of AI requests is reached: further ones are refused until the counter " +
      "resets or a user key is configured.",
    when:
      "The month's requests of the account or of the whole server, or the turns of this chat, " +
      "on the platform's key are used up; the message names the limit.",
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    message: "There is nothing to apply: ask the collection creator for a proposal first.",
    when: "The chat has no proposal, has passed away, or was ended.",
  },
  AI_UNAVAILABLE: {
    status: 502,
    message: "The AI provider cannot answer at the moment: try again.",
    when:
      "The AI provider cannot be reached, fails, or refuses, the platform's key too, of which the " +
      "log tells; nothing was counted.",
  },
  AI_ANSWER_INVALID: {
    status: 502,
    message: "The AI provider's answer cannot be used: try again, perhaps in other words.",
    when:
      "The model did not answer as it was asked to. The answer has cost as much as any other: " +
      "on the platform's key it is counted.",
  },
  AI_NOT_CONFIGURED: {
    status: 503,
    message: "This server has no AI key of its own: save one for the project or the account.",
    when: "No platform key is configured (`AI_API_KEY`), and no key of a user applies.",
  },
  AI_TIMEOUT: {
    status: 504,
    message: "The AI provider took too long: try again.",
    when: "The AI provider did not answer within 30 seconds; nothing was counted.",
  },
} as const;
