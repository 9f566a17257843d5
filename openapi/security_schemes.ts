/** How the document names the credentials. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "A project's publishable key (`pk_live_…`, may be public) or secret key " +
      "(`sk_live_…`, for servers only). A secret key with a browser's `Origin` works, but its answers " +
      "carry `x-corbel-warning`, and the dashboard names the page: everybody who opens it can read " +
      "the key.",
  },
  apiKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "x-api-key",
    description:
      "A project's publishable key in the address, for navigation. `key` means the same.",
  },
  liveTicket: {
    type: "apiKey",
    in: "query",
    name: "ticket",
    description:
      "A ticket for a live list, good once: part of the address that was answered with it.",
  },
  dashboardSession: {
    type: "apiKey",
    in: "cookie",
    name: "corbel_session",
    description: "The dashboard's session: `__Host-corbel_session` over https.",
  },
  accountToken: {
    type: "http",
    scheme: "bearer",
    description: "A personal access token of an account (`corbel_pat_…`), in the place of the " +
      "dashboard's session: as far as its scope and its account's roles go, and never for the account " +
      "itself. Beside a session's cookie the token counts.",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a signed-in user.",
  },
} as const;
