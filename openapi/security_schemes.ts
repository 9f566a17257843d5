export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "A project's publishable key (`pk_live_…`, may be public) or secret key " +
      "(`sk_live_…`, for servers only). A secret key with a browser's `Origin` works, but its answers " +
      "carry `x-corbel-warning`, and the dashboard names the page: every visitor can read the key.",
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
      "A single-use ticket for a live list, part of the address that the server answered.",
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
    description: "A personal access token of an account (`corbel_pat_…`), instead of the " +
      "dashboard's session. It is limited by its scope and the account's roles, and is not accepted " +
      "for the account itself. If a session cookie is sent too, the token is used.",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a signed-in user.",
  },
} as const;
