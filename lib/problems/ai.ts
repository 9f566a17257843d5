/** Problems of AI operations, part of `PROBLEMS`. */
export const AI_PROBLEMS = {
  AI_KEY_MALFORMED: {
    status: 400,
    message: "Invalid key format; key must start with gsk_",
    when: "The AI key does not start with `gsk_`, is longer than 200 characters, or contains a " +
      "character that keys cannot have.",
    remedy: "Copy the complete key from the provider's console: it starts with `gsk_` and has no " +
      "spaces.",
  },
  AI_KEY_REJECTED: {
    status: 401,
    message: "Invalid user-supplied AI key",
    when: "The AI provider answers 401 or 403 to the key that the project or the account has " +
      "stored.",
    remedy: "Create a new key at the provider and save it, or delete the stored key to use the " +
      "server's key.",
  },
  PRO_PLAN_REQUIRED: {
    status: 403,
    message: "Feature requires the Pro plan; upgrade",
    when: "An AI key is saved on a plan that does not include this feature.",
    remedy: "Change to the Pro plan, or use the server's AI key.",
  },
  AI_CAP_REACHED: {
    status: 403,
    message: "The cap of AI requests is reached: further ones are refused until the counter " +
      "resets or a user key is configured.",
    when:
      "The account, the server or this chat has used up its requests with the platform's key; " +
      "the message names the limit.",
    remedy: "Wait for the next month, save your own AI key, or begin a new chat if the message " +
      "names the limit of a chat.",
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    message: "There is nothing to apply: ask the collection creator for a proposal first.",
    when: "The chat has no proposal, has expired, or was ended.",
    remedy: "Describe the collection in the chat until it answers with a proposal, then apply it.",
  },
  AI_UNAVAILABLE: {
    status: 502,
    message: "The AI provider cannot answer at the moment: try again.",
    when:
      "The AI provider cannot be reached, fails, or refuses the request or the platform's key; " +
      "nothing was counted.",
    remedy: "Try again in a minute. If the failure persists, the server's operator finds the " +
      "provider's answer in the log.",
  },
  AI_ANSWER_INVALID: {
    status: 502,
    message: "The AI provider's answer cannot be used: try again, perhaps in other words.",
    when:
      "The model did not answer in the requested form. With the platform's key, the request is " +
      "counted.",
    remedy: "Use other words, be brief and exact, and name the fields that you mean.",
  },
  AI_NOT_CONFIGURED: {
    status: 503,
    message: "This server has no AI key of its own: save one for the project or the account.",
    when: "The server has no AI key (`AI_API_KEY`), nor has the project or the account.",
    remedy: "Save an AI key for the project or the account, or ask the server's operator to set " +
      "`AI_API_KEY`.",
  },
  AI_TIMEOUT: {
    status: 504,
    message: "The AI provider took too long: try again.",
    when: "The AI provider did not answer within 30 seconds; nothing was counted.",
    remedy: "Try again, with a shorter question.",
  },
} as const;
