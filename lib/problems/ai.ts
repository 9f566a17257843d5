/** What only the AI operations refuse for; part of the one catalogue. */
export const AI_PROBLEMS = {
  AI_KEY_MALFORMED: {
    status: 400,
    message: "Invalid key format; key must start with gsk_",
    when: "The AI key does not start with `gsk_`, is longer than 200 characters, or holds a " +
      "character that no key can have.",
    remedy: "Copy the whole key from the provider's console: it starts with `gsk_` and " +
      "has no spaces.",
  },
  AI_KEY_REJECTED: {
    status: 401,
    message: "Invalid user-supplied AI key",
    when: "The AI provider does not take the key that the project or the account has stored: it " +
      "answers 401 or 403.",
    remedy: "Make a new key at the provider and save it, or delete the stored one to use " +
      "the server's.",
  },
  PRO_PLAN_REQUIRED: {
    status: 403,
    message: "Feature requires the Pro plan; upgrade",
    when: "An AI key of one's own is saved on a plan without that capability.",
    remedy: "Change to the Pro plan, or go on with the server's own AI key.",
  },
  AI_CAP_REACHED: {
    status: 403,
    message: "The cap of AI requests is reached: further ones are refused until the counter " +
      "resets or a user key is configured.",
    when:
      "The month's requests of the account or of the whole server, or the turns of this chat, " +
      "on the platform's key are used up; the message names the limit.",
    remedy: "Wait for the next month, save an AI key of your own, or begin a new chat " +
      "where the message speaks of turns.",
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    message: "There is nothing to apply: ask the collection creator for a proposal first.",
    when: "The chat has no proposal, has passed away, or was ended.",
    remedy: "Describe the collection in the chat until it answers with a proposal, then " +
      "apply that.",
  },
  AI_UNAVAILABLE: {
    status: 502,
    message: "The AI provider cannot answer at the moment: try again.",
    when:
      "The AI provider cannot be reached, fails, or refuses, the platform's key too, of which the " +
      "log tells; nothing was counted.",
    remedy: "Try again in a minute. If it stays, who runs the server finds the provider's " +
      "answer in the log.",
  },
  AI_ANSWER_INVALID: {
    status: 502,
    message: "The AI provider's answer cannot be used: try again, perhaps in other words.",
    when:
      "The model did not answer as it was asked to. The answer has cost as much as any other: " +
      "on the platform's key it is counted.",
    remedy: "Say it in other words, shorter and more exact, and name the fields that you " +
      "mean.",
  },
  AI_NOT_CONFIGURED: {
    status: 503,
    message: "This server has no AI key of its own: save one for the project or the account.",
    when: "No platform key is configured (`AI_API_KEY`), and no key of a user applies.",
    remedy: "Save an AI key for the project or the account, or ask whoever runs the " +
      "server to set `AI_API_KEY`.",
  },
  AI_TIMEOUT: {
    status: 504,
    message: "The AI provider took too long: try again.",
    when: "The AI provider did not answer within 30 seconds; nothing was counted.",
    remedy: "Try again, with a shorter question.",
  },
} as const;
