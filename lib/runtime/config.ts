import { keyRingProblem } from "../crypto/key_ring.ts";
import { Secret } from "../crypto/secret.ts";
import { RATE_PER_MINUTE, REQUEST_TIMEOUT_MS } from "../limits.ts";
import { LOCAL_HOSTS } from "../local_hosts.ts";
import type { Sync } from "../store/sqlite/connection.ts";
import {
  DATABASE_DEFAULT,
  type Environment,
  QUERY_TIME_LIMIT_MS,
  type SettingName,
  SETTINGS,
  STORAGE_DEFAULT,
} from "./settings.ts";
import { parseMailbox, parseSmtpUrl } from "../text/mail_addresses.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** `invited`: with an invitation. `first`: open for the first visitor, then like `invited`. */
export type RegistrationRule = "open" | "first" | "invited" | "closed";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Origin of all URLs in answers, without a final slash. */
  readonly publicUrl: string;
  readonly database: SqliteDatabase | MongoDatabase;
  /** The store for files of projects that have not configured their own. */
  readonly storage: DiskStorage | S3Storage;
  /** Origin of the URLs of files that this server serves, without a final slash. */
  readonly filesUrl: string;
  /** Whether stores and mail servers of projects may be in private networks. */
  readonly allowPrivateEndpoints: boolean;
  /** Time limit of a list or count in milliseconds. */
  readonly queryTimeLimitMs: number;
  /** Text of the key ring; null if the key ring is a file in the data folder. */
  readonly secretKeys: Secret | null;
  /** Number of trusted proxies in front of the server; with 0, forwarded addresses are ignored. */
  readonly trustProxy: number;
  /** Requests per minute, publishable key and address; null for no limit. */
  readonly ratePerMinute: number | null;
  readonly registration: RegistrationRule;
  /** Whether the limits of plans are enforced. */
  readonly plans: boolean;
  /** Number of threads that serve requests. */
  readonly workers: number;
  /** URL of GitHub's pages, without a final slash. */
  readonly githubUrl: string;
  /** URL of GitHub's API, without a final slash. */
  readonly githubApiUrl: string;
  /** The issuer of Google's ID tokens, exactly as the tokens name it. */
  readonly googleIssuer: string;
  /** Whether this is `dev` at a local URL. If so, users sign in without a password. */
  readonly isLocalDev: boolean;
  /** Host names that `dev` serves besides local ones, against DNS rebinding; null serves all. */
  readonly devHosts: readonly string[] | null;
  readonly ai: AiProvider;
  readonly mail: MailSettings;
  readonly logLevel: LogLevel;
}

export interface SqliteDatabase {
  readonly kind: "sqlite";
  /** Path of the data folder, absolute or relative to the working folder. */
  readonly folder: string;
  readonly sync: Sync;
}

export interface MongoDatabase {
  readonly kind: "mongodb";
  /** Null, because MongoDB stores everything. */
  readonly folder: null;
  readonly url: Secret;
  /** Prefix of the names of all databases. */
  readonly prefix: string;
}

/** An AI provider whose API has chat completions like OpenAI's. */
export interface AiProvider {
  /** The platform's key; null if only keys of users are used. */
  readonly apiKey: Secret | null;
  /** URL before `/chat/completions`, without a final slash. */
  readonly baseUrl: string;
  readonly model: string;
  /** Monthly requests of all accounts with the platform's key; null for no limit. */
  readonly monthlyLimit: number | null;
}

/** The platform's mail server, for accounts and for projects without a mail server. */
export interface MailSettings {
  /** SMTP URL in the form of `parseSmtpUrl`; null if this server sends no mail. */
  readonly url: Secret | null;
  /** Whether mails are only stored for the dashboard instead of being sent. */
  readonly keeps: boolean;
  /** Sender in the form of `parseMailbox`; empty if it is not configured. */
  readonly from: string;
}

export interface DiskStorage {
  readonly kind: "disk";
  /** Path of the folder, absolute or relative to the working folder. */
  readonly folder: string;
}

export interface S3Storage {
  readonly kind: "s3";
  readonly bucket: string;
  /** Null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** URL of the bucket's public objects, without a final slash; null if they are not public. */
  readonly publicUrl: string | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
}

/** Returns the folder of a `DATABASE_URL`; null for another kind of URL. */
const sqliteFolder = (url: string): string | null => /^sqlite:(.+)$/.exec(url)?.[1] ?? null;

/** Returns the folder of a `STORAGE_URL`; null for another kind of URL. */
const filesFolder = (address: string): string | null =>
  /^file:(.+)$/.exec(address)?.[1]?.replace(/^\/\/(?=\/)/, "") ?? null;

/** Returns the folders to which a process with these settings writes. */
export const writtenFolders = ({ DATABASE_URL, STORAGE_URL }: Environment): string[] =>
  [sqliteFolder(DATABASE_URL || DATABASE_DEFAULT), filesFolder(STORAGE_URL || STORAGE_DEFAULT)]
    .filter((folder) => folder !== null);

/** Returns the certificate and key files that MongoDB's driver reads for a `DATABASE_URL`. */
export const driverFiles = ({ DATABASE_URL = "" }: Environment): string[] =>
  [...DATABASE_URL.matchAll(/[?&]tls\w+File=([^&]+)/gi)].map(([, path]) =>
    decodeURIComponent(path!)
  );

/** Returns the settings of a command, with the command's defaults. */
export function commandEnvironment(
  command: string,
  read: (name: string) => string | undefined,
): Environment {
  const given: Environment = Object.fromEntries(
    Object.keys(SETTINGS).map((name) => [name, read(name)]),
  );
  if (command !== "dev") return given;
  const { REGISTRATION, MAIL_URL } = given;
  const defaults = { REGISTRATION: REGISTRATION || "open", MAIL_URL: MAIL_URL || "keep:" };
  return { ...given, ...defaults, isDev: true };
}

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n- ${problems.join("\n- ")}`);
    this.problems = problems;
  }
}

/** Reads the configuration from settings. Throws {@linkcode ConfigError} with all problems. */
export function loadConfig(env: Environment): Config {
  const read = createReader(env);
  const port = read.integer("PORT", PORT_DEFAULT, 1, 65_535);
  const publicUrl = read.publicUrl(port);
  const filesUrl = read.filesUrl(publicUrl);
  const config: Config = {
    host: read.text("HOST", "127.0.0.1"),
    port,
    publicUrl,
    database: read.database(),
    storage: read.storage(),
    filesUrl,
    allowPrivateEndpoints: read.choice("ALLOW_PRIVATE_ENDPOINTS", ["false", "true"]) === "true",
    queryTimeLimitMs: read.integer(
      "QUERY_TIME_LIMIT_MS",
      QUERY_TIME_LIMIT_MS,
      1,
      REQUEST_TIMEOUT_MS,
    ),
    secretKeys: read.secretKeys(),
    trustProxy: read.integer("TRUST_PROXY", 0, 0, 100),
    ratePerMinute: read.ratePerMinute(),
    registration: read.registration(),
    plans: read.choice("PLANS", ["on", "off"]) === "on",
    workers: read.integer("WORKERS", 1, 1, WORKERS_MAX),
    githubUrl: withoutSlash(read.providerUrl("GITHUB_URL", "https://github.com")),
    githubApiUrl: withoutSlash(read.providerUrl("GITHUB_API_URL", "https://api.github.com")),
    googleIssuer: read.providerUrl("GOOGLE_ISSUER", "https://accounts.google.com"),
    isLocalDev: env.isDev === true && isLocalAddress(publicUrl),
    devHosts: env.isDev === true ? [publicUrl, filesUrl].map(hostOf) : null,
    ai: {
      apiKey: read.aiKey(),
      baseUrl: withoutSlash(read.providerUrl("AI_BASE_URL", "https://api.groq.com/openai/v1")),
      model: read.text("AI_MODEL", "openai/gpt-oss-120b"),
      monthlyLimit: read.aiMonthlyLimit(),
    },
    mail: read.mail(),
    logLevel: read.choice("LOG_LEVEL", ["info", "debug", "warn", "error"]),
  };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

const hostOf = (address: string): string => URL.parse(address)?.hostname ?? "";

const isLocalAddress = (address: string): boolean => LOCAL_HOSTS.includes(hostOf(address));

const withoutSlash = (address: string): string => address.replace(/\/$/, "");

const PORT_DEFAULT = 8000;
/** Maximum number of workers, more than any machine needs, to detect typing errors. */
const WORKERS_MAX = 256;

const S3_PARAMETERS: readonly string[] = ["endpoint", "region", "publicUrl"];

/** A prefix that, followed by a project id, fits into MongoDB's limit of 63 bytes for a name. */
const DATABASE_PREFIX = /^[A-Za-z0-9_-]{1,38}$/;

function createReader(env: Environment) {
  const problems: string[] = [];
  const reportInvalid = (name: SettingName, why: string) => {
    problems.push(`${name} ${why}, got ${JSON.stringify(env[name])}`);
  };

  function text(name: SettingName, fallback: string): string {
    return env[name] || fallback;
  }

  /** Reads one of several choices, the first of which is the default. */
  function choice<const C extends readonly string[]>(name: SettingName, choices: C) {
    const value = text(name, choices[0]!);
    if (!choices.includes(value)) reportInvalid(name, `must be ${choices.join(" or ")}`);
    return value as C[number];
  }

  function integer(name: SettingName, fallback: number, min: number, max: number): number {
    const value = text(name, String(fallback));
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    reportInvalid(name, `must be a whole number from ${min} to ${max}`);
    return NaN;
  }

  function database(): SqliteDatabase | MongoDatabase {
    const url = text("DATABASE_URL", DATABASE_DEFAULT);
    const sync = choice("SQLITE_SYNC", ["full", "normal"]);
    if (/^mongodb(?:\+srv)?:/.test(url)) {
      if (!env.SECRET_KEYS) {
        problems.push(
          "SECRET_KEYS is needed with MongoDB: every process must seal with the same keys. " +
            "Make one: echo k1:$(head -c 32 /dev/urandom | base64)",
        );
      }
      return {
        kind: "mongodb",
        folder: null,
        url: new Secret(url),
        prefix: databasePrefix(url),
      };
    }
    const folder = sqliteFolder(url);
    if (folder === null) {
      // Only the scheme is repeated, because the URL of a database may contain a password.
      const scheme = /^[a-z+]{0,20}:/.exec(url)?.[0] ?? "something else";
      problems.push(`DATABASE_URL must be sqlite:<folder> or mongodb://…, got ${scheme}…`);
    }
    return { kind: "sqlite", folder: folder ?? "", sync };
  }

  /** Returns the path of the URL, which `URL` cannot parse if it has several hosts. */
  function databasePrefix(url: string): string {
    const prefix = /^[^:]+:\/\/[^/?]+\/([^?]*)/.exec(url)?.[1] || "corbel";
    if (!DATABASE_PREFIX.test(prefix)) {
      // The path is not repeated, because it may be a part of a password with an unescaped slash.
      problems.push(
        "DATABASE_URL must name a prefix of at most 38 letters, digits, _ and - as its path, and " +
          "a password in it must be percent-encoded",
      );
    }
    return prefix;
  }

  /** Parses an origin, or reports a problem and returns null. */
  function origin(name: SettingName, value: string): URL | null {
    const url = URL.parse(value);
    const isOrigin = url !== null && ["http:", "https:"].includes(url.protocol) &&
      url.href === `${url.origin}/` && !/[?#]/.test(value);
    if (!isOrigin) reportInvalid(name, "must be an http or https origin and nothing behind it");
    return isOrigin ? url : null;
  }

  function filesUrl(publicUrl: string): string {
    const value = env.FILES_URL;
    return value ? origin("FILES_URL", value)?.origin ?? value : publicUrl;
  }

  function storage(): DiskStorage | S3Storage {
    const address = text("STORAGE_URL", STORAGE_DEFAULT);
    const folder = filesFolder(address);
    if (folder !== null) return { kind: "disk", folder };
    const url = URL.parse(address);
    const bucket = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?(?:\?|$)/.exec(address)?.[1];
    if (url === null || bucket === undefined) {
      const why = "must be file:<folder> or s3://<bucket>?endpoint=…&region=…&publicUrl=…";
      // The part before an @ may be a secret.
      if (address.includes("@")) problems.push(`STORAGE_URL ${why}, and hold no keys`);
      else reportInvalid("STORAGE_URL", why);
      return { kind: "disk", folder: "" };
    }
    for (const name of new Set(url.searchParams.keys())) {
      if (S3_PARAMETERS.includes(name) && url.searchParams.getAll(name).length === 1) continue;
      reportInvalid(
        "STORAGE_URL",
        `must hold no parameter but ${S3_PARAMETERS.join(", ")}, each once`,
      );
    }
    const secret = env.AWS_SECRET_ACCESS_KEY ?? "";
    if (!env.AWS_ACCESS_KEY_ID || !secret) {
      problems.push("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed with s3://…");
    }
    return {
      kind: "s3",
      bucket,
      endpoint: s3Address(url, "endpoint"),
      region: url.searchParams.get("region") || "us-east-1",
      publicUrl: s3Address(url, "publicUrl"),
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? "",
      secretAccessKey: new Secret(secret),
    };
  }

  function s3Address(url: URL, name: string): string | null {
    const value = url.searchParams.get(name);
    if (!value) return null;
    const address = URL.parse(value);
    const isPlain = address !== null && /^https?:$/.test(address.protocol) &&
      address.username === "" && address.password === "" && !/[?#]/.test(value);
    if (!isPlain) {
      problems.push(
        `STORAGE_URL must have as ${name} an http or https address without a user, query or fragment`,
      );
    }
    return withoutSlash(value);
  }

  function publicUrl(port: number): string {
    const value = text(
      "PUBLIC_URL",
      `http://localhost:${Number.isNaN(port) ? PORT_DEFAULT : port}`,
    );
    const forbidden = choice("ALLOW_INSECURE_COOKIES", ["false", "true"]) === "false";
    const url = origin("PUBLIC_URL", value);
    if (url === null) return value;
    const insecure = url.protocol === "http:" && !LOCAL_HOSTS.includes(url.hostname);
    if (insecure && forbidden) {
      reportInvalid(
        "PUBLIC_URL",
        "must be https, because cookies would travel in the clear (ALLOW_INSECURE_COOKIES=true permits it)",
      );
    }
    return url.origin;
  }

  /** Reads a URL to which client secrets are sent. */
  function providerUrl(name: SettingName, fallback: string): string {
    const value = text(name, fallback);
    const url = URL.parse(value);
    const secure = url?.protocol === "https:" ||
      (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
    if (!secure || url.username !== "" || url.password !== "" || /[?#\s\\]/.test(value)) {
      const why = "must be an https address, or http on localhost, 127.0.0.1 or [::1], " +
        "without a user, query or fragment";
      // The part before an @ may be a password.
      if (value.includes("@")) problems.push(`${name} ${why}`);
      else reportInvalid(name, why);
    }
    return value;
  }

  function secretKeys(): Secret | null {
    const value = env.SECRET_KEYS;
    if (!value) return null;
    const problem = keyRingProblem(value);
    // The message must not repeat the value.
    if (problem !== null) problems.push(`SECRET_KEYS cannot be used: ${problem}`);
    return new Secret(value);
  }

  /** Reads the platform's AI key, which must fit into a header. */
  function aiKey(): Secret | null {
    const value = env.AI_API_KEY;
    if (!value) return null;
    if (!/^[\x21-\x7e]+$/.test(value)) {
      problems.push("AI_API_KEY must be printable ASCII without spaces");
    }
    return new Secret(value);
  }

  function aiMonthlyLimit(): number | null {
    return env.AI_MONTHLY_LIMIT ? integer("AI_MONTHLY_LIMIT", 0, 1, 1e9) : null;
  }

  /** Reads the mail settings. Messages do not repeat the URL, because it contains a password. */
  function mail(): MailSettings {
    const [url, from] = [env.MAIL_URL ?? "", (env.MAIL_FROM ?? "").trim()];
    const keeps = url === "keep:";
    if (from !== "" && parseMailbox(from) === null) {
      reportInvalid(
        "MAIL_FROM",
        "must be one address, or Name <address> without quotes, in one line",
      );
    }
    if (url === "" || keeps) return { url: null, keeps, from };
    if (parseSmtpUrl(url) === null) {
      problems.push(
        "MAIL_URL must be smtp://<user>:<password>@<host>:<port>, smtps://… or keep:, with user and " +
          "password percent-encoded, both or neither, and nothing after the port",
      );
    }
    if (from === "") problems.push("MAIL_FROM is needed with smtp://… and smtps://…");
    return { url: new Secret(url), keeps, from };
  }

  function registration(): RegistrationRule {
    return env.REGISTRATION ? choice("REGISTRATION", ["open", "invited", "closed"]) : "first";
  }

  function ratePerMinute(): number | null {
    const limit = integer("RATE_LIMIT_PER_MINUTE", RATE_PER_MINUTE, 1, 1e9);
    return choice("RATE_LIMITS", ["on", "off"]) === "off" ? null : limit;
  }

  return {
    problems,
    text,
    choice,
    integer,
    database,
    storage,
    filesUrl,
    publicUrl,
    providerUrl,
    secretKeys,
    aiKey,
    aiMonthlyLimit,
    mail,
    registration,
    ratePerMinute,
  };
}
