import { RATE_PER_MINUTE } from "../limits.ts";

export const QUERY_TIME_LIMIT_MS = 5_000;
export const DATABASE_DEFAULT = "sqlite:./data";
export const STORAGE_DEFAULT = "file:./data/files";

/** The environment variables with their defaults and descriptions in docs/self-hosting.md. */
export const SETTINGS = {
  DATABASE_URL: [
    `\`${DATABASE_DEFAULT}\``,
    "The database: `sqlite:<folder>`, or `mongodb://<user>:<password>@<hosts>/<prefix>` with the " +
    "driver's options. The names of all databases begin with `<prefix>`, by default `corbel`.",
  ],
  STORAGE_URL: [
    `\`${STORAGE_DEFAULT}\``,
    "The file store: `file:<folder>`, or `s3://<bucket>?endpoint=…&region=…&publicUrl=…`. AWS " +
    "needs no `endpoint`.",
  ],
  AWS_ACCESS_KEY_ID: ["none", "Key id for the bucket of `STORAGE_URL`."],
  AWS_SECRET_ACCESS_KEY: ["none", "Secret access key for the bucket of `STORAGE_URL`."],
  FILES_URL: [
    "`PUBLIC_URL`",
    "Origin of the URLs of files that are stored in a folder. A separate host isolates them from " +
    "the API.",
  ],
  ALLOW_PRIVATE_ENDPOINTS: [
    "`false`",
    "`true` allows projects to use buckets and mail servers in private networks.",
  ],
  SQLITE_SYNC: [
    "`full`",
    "`full`: an answered write survives a power failure. `normal`: faster, but a power failure may " +
    "lose the last writes.",
  ],
  QUERY_TIME_LIMIT_MS: [
    `\`${QUERY_TIME_LIMIT_MS}\``,
    "Milliseconds after which a list or a count ends with 503 `QUERY_TOO_SLOW`.",
  ],
  SECRET_KEYS: [
    "created in the data folder",
    "Key ring `id:base64,…` of 32-byte keys. The first key encrypts, all of them decrypt.",
  ],
  HOST: ["`127.0.0.1`", "Address to listen on."],
  PORT: ["`8000`", "Port to listen on."],
  PUBLIC_URL: ["`http://localhost:$PORT`", "Public address of this server."],
  TRUST_PROXY: [
    "`0`",
    "Number of proxies in front of the server. The client is the entry of `X-Forwarded-For` at this " +
    "position from the right, with or without a port.",
  ],
  RATE_LIMITS: ["`on`", "`off` counts no requests."],
  RATE_LIMIT_PER_MINUTE: [`\`${RATE_PER_MINUTE}\``, "Requests per publishable key and address."],
  REGISTRATION: [
    "`open` in `dev`",
    "Who may create an account: all visitors (`open`), visitors with an invitation (`invited`), " +
    "or only the command line (`closed`). Default in `start`: the first visitor, then `invited`.",
  ],
  PLANS: [
    "`on`",
    "`off` removes all limits of plans: see [Plans](#plans).",
  ],
  WORKERS: [
    "`1`",
    "Number of threads that serve requests: see [More cores](#more-cores). Above 1 only on Linux.",
  ],
  ALLOW_INSECURE_COOKIES: [
    "`false`",
    "`true` allows a `PUBLIC_URL` with plain http on a host that is not local.",
  ],
  GITHUB_URL: ["`https://github.com`", "URL of GitHub, or of your GitHub Enterprise."],
  GITHUB_API_URL: [
    "`https://api.github.com`",
    "URL of GitHub's API: `https://<host>/api/v3` for GitHub Enterprise.",
  ],
  GOOGLE_ISSUER: [
    "`https://accounts.google.com`",
    "Issuer of the ID tokens of Google sign-in, with a discovery document.",
  ],
  AI_API_KEY: [
    "none",
    "The platform's key for the AI provider. Without it, AI operations need keys of users.",
  ],
  AI_BASE_URL: [
    "`https://api.groq.com/openai/v1`",
    "URL of the AI provider, without `/chat/completions`.",
  ],
  AI_MODEL: [
    "`openai/gpt-oss-120b`",
    "The AI model. It should support JSON schemas; otherwise it is asked for plain JSON.",
  ],
  AI_MONTHLY_LIMIT: [
    "none",
    "Requests of all accounts with `AI_API_KEY` in a calendar month (UTC), counted since the " +
    "limit was set. Further requests are refused with 403 `AI_CAP_REACHED`.",
  ],
  MAIL_URL: [
    "`keep:` in `dev`",
    "The mail server: `smtp://<user>:<password>@<host>:587`, with STARTTLS unless the host is " +
    "this machine, or `smtps://…`. User and password are percent-encoded. `keep:` sends nothing " +
    "and shows mails in the dashboard. Default in `start`: no mail.",
  ],
  MAIL_FROM: [
    "none",
    "Sender of mails: `<address>` or `Name <address>`. Required with `MAIL_URL`.",
  ],
  LOG_LEVEL: ["`info`", "`debug`, `info`, `warn` or `error`. Requests are logged at `info`."],
} as const satisfies Record<string, readonly [string, string]>;

export type SettingName = keyof typeof SETTINGS;

export type Environment = { readonly [name in SettingName]?: string | undefined } & {
  /** Whether the command is `dev`. Not an environment variable. */
  readonly isDev?: boolean;
};
