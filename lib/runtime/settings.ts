import { RATE_PER_MINUTE } from "../limits.ts";

export const QUERY_TIME_LIMIT_MS = 5_000;
export const DATABASE_DEFAULT = "sqlite:./data";
export const STORAGE_DEFAULT = "file:./data/files";

/** Environment variables that `loadConfig` reads, with what docs/self-hosting.md says of them. */
export const SETTINGS = {
  DATABASE_URL: [
    `\`${DATABASE_DEFAULT}\``,
    "Where everything is kept: `sqlite:<folder>`, or `mongodb://<user>:<password>@<hosts>/<prefix>` " +
    "with the driver's options, of which `<prefix>` (`corbel`) begins the databases' names.",
  ],
  STORAGE_URL: [
    `\`${STORAGE_DEFAULT}\``,
    "Where files are kept: `file:<folder>`, or " +
    "`s3://<bucket>?endpoint=…&region=…&publicUrl=…`, of which AWS itself needs no `endpoint`.",
  ],
  AWS_ACCESS_KEY_ID: ["none", "Key id for the bucket of `STORAGE_URL`."],
  AWS_SECRET_ACCESS_KEY: ["none", "Its secret."],
  FILES_URL: [
    "`PUBLIC_URL`",
    "Origin of the addresses of files kept in a folder: a host of its own keeps them apart from the API.",
  ],
  ALLOW_PRIVATE_ENDPOINTS: [
    "`false`",
    "`true` lets projects bring buckets and mail servers whose addresses are in a private network.",
  ],
  SQLITE_SYNC: [
    "`full`",
    "`full`: an answered write survives a power cut. `normal`: faster, a power cut may lose the last.",
  ],
  QUERY_TIME_LIMIT_MS: [
    `\`${QUERY_TIME_LIMIT_MS}\``,
    "Milliseconds that a list or a count may take before it is 503 `QUERY_TOO_SLOW`.",
  ],
  SECRET_KEYS: [
    "made in the data folder",
    "Key ring `id:base64,…` of 32-byte keys; the first seals, all open.",
  ],
  HOST: ["`127.0.0.1`", "Address to listen on."],
  PORT: ["`8000`", "Port to listen on."],
  PUBLIC_URL: ["`http://localhost:$PORT`", "What the world calls this server."],
  TRUST_PROXY: [
    "`0`",
    "How many proxies stand in front: the client is that entry of `X-Forwarded-For`, from the right, with or without a port.",
  ],
  RATE_LIMITS: ["`on`", "`off` counts no requests."],
  RATE_LIMIT_PER_MINUTE: [`\`${RATE_PER_MINUTE}\``, "Requests per publishable key and address."],
  REGISTRATION: [
    "`open` in `dev`",
    "Who may make an account: everybody (`open`), whoever has an invitation's link (`invited`), " +
    "or the command line alone (`closed`). Left out in `start`: the first visitor, then `invited`.",
  ],
  PLANS: [
    "`on`",
    "`off` lifts all limits of plans, for whoever runs Corbel for themselves: see [Plans](#plans).",
  ],
  WORKERS: [
    "`1`",
    "How many threads serve: see [More cores](#more-cores). Above 1 on Linux only.",
  ],
  ALLOW_INSECURE_COOKIES: [
    "`false`",
    "`true` permits a `PUBLIC_URL` with plain http on a host that is not local.",
  ],
  GITHUB_URL: ["`https://github.com`", "Where GitHub's pages are: another for GitHub Enterprise."],
  GITHUB_API_URL: [
    "`https://api.github.com`",
    "Where GitHub's API is: `https://<host>/api/v3` for GitHub Enterprise.",
  ],
  GOOGLE_ISSUER: [
    "`https://accounts.google.com`",
    "Issuer of the ID tokens of Google sign-in; its discovery document names the rest.",
  ],
  AI_API_KEY: [
    "none",
    "The platform's key at the AI provider; without it the AI operations need keys of users.",
  ],
  AI_BASE_URL: [
    "`https://api.groq.com/openai/v1`",
    "Where the AI provider is: what stands before `/chat/completions`.",
  ],
  AI_MODEL: [
    "`openai/gpt-oss-120b`",
    "Which model is asked. It should answer by a JSON schema; one that cannot is asked for plain JSON.",
  ],
  AI_MONTHLY_LIMIT: [
    "none",
    "Requests with `AI_API_KEY` in a calendar month (UTC), of all accounts together, " +
    "counted since it is set; beyond them 403 `AI_CAP_REACHED`.",
  ],
  MAIL_URL: [
    "`keep:` in `dev`",
    "The server that sends mail: `smtp://<user>:<password>@<host>:587`, by STARTTLS but where it is " +
    "this machine, or `smtps://…`; user and password percent-encoded. `keep:` sends nothing, and " +
    "shows mails in the dashboard. Left out in `start`: no mail.",
  ],
  MAIL_FROM: ["none", "Whom mails are from: `<address>` or `Name <address>`. `MAIL_URL` needs it."],
  LOG_LEVEL: ["`info`", "`debug`, `info`, `warn` or `error`; requests are logged at `info`."],
} as const satisfies Record<string, readonly [string, string]>;

export type SettingName = keyof typeof SETTINGS;

export type Environment = { readonly [name in SettingName]?: string | undefined } & {
  /** Whether `dev` serves; no variable says so. */
  readonly isDev?: boolean;
};
