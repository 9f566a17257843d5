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

/**
 * Who may register: everybody, whoever has the link of an invitation, nobody; or, as long as there
 * is no account, the first who comes, and then as `invited`.
 */
export type RegistrationRule = "open" | "first" | "invited" | "closed";

/** Everything a process can be told from outside. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Origin of every address in answers, without a final slash. */
  readonly publicUrl: string;
  readonly database: SqliteDatabase | MongoDatabase;
  /** Where the files of projects without a store of their own are kept. */
  readonly storage: DiskStorage | S3Storage;
  /** Origin of the addresses of files that this server serves, without a final slash. */
  readonly filesUrl: string;
  /** Whether stores that projects bring may be in private networks. */
  readonly allowPrivateEndpoints: boolean;
  /** How long a list or a count may take before it is given up. */
  readonly queryTimeLimitMs: number;
  /** The key ring's text; null lets the embedded mode keep one in its folder. */
  readonly secretKeys: Secret | null;
  /** How many proxies stand in front; 0 believes no forwarded address. */
  readonly trustProxy: number;
  /** Requests per minute, publishable key and address; null is no limit. */
  readonly ratePerMinute: number | null;
  readonly registration: RegistrationRule;
  /** Whether the plans of accounts limit what they may take. */
  readonly plans: boolean;
  /** How many threads serve. */
  readonly workers: number;
  /** Where GitHub's pages are, without a final slash. */
  readonly githubUrl: string;
  /** Where GitHub's API is, without a final slash. */
  readonly githubApiUrl: string;
  /** The issuer of Google's ID tokens, exactly as they name it. */
  readonly googleIssuer: string;
  /**
   * Whether `dev` serves at an address of this machine alone. Then users may sign in by choosing who
   * they are, and the reference has the first project's publishable key.
   */
  readonly isLocalDev: boolean;
  /**
   * The host names that `dev` answers at, beside those of this machine: a page whose own host name
   * was made to lead here reads nothing. Null where every host name is answered.
   */
  readonly devHosts: readonly string[] | null;
  readonly ai: AiProvider;
  readonly mail: MailSettings;
  readonly logLevel: LogLevel;
}

export interface SqliteDatabase {
  readonly kind: "sqlite";
  /** Absolute or relative to the working folder. */
  readonly folder: string;
  readonly sync: Sync;
}

export interface MongoDatabase {
  readonly kind: "mongodb";
  /** All is kept by the server. */
  readonly folder: null;
  readonly url: Secret;
  /** What the names of all databases begin with. */
  readonly prefix: string;
}

/** Where questions to a model go: an API as OpenAI's, as far as chat completions. */
export interface AiProvider {
  /** The platform's own key; null where only keys of users are used. */
  readonly apiKey: Secret | null;
  /** What stands before `/chat/completions`, without a final slash. */
  readonly baseUrl: string;
  readonly model: string;
  /** Requests with the platform's key in a month, of all accounts together; null is no limit. */
  readonly monthlyLimit: number | null;
}

/** Who sends the mails of projects without a server of their own, and those to accounts. */
export interface MailSettings {
  /** As `parseSmtpUrl` reads it; null where this server sends no mail. */
  readonly url: Secret | null;
  /** Whether mails are written down for the dashboard instead. */
  readonly keeps: boolean;
  /** As `parseMailbox` reads it; empty where none is given. */
  readonly from: string;
}

export interface DiskStorage {
  readonly kind: "disk";
  /** Absolute or relative to the working folder. */
  readonly folder: string;
}

export interface S3Storage {
  readonly kind: "s3";
  readonly bucket: string;
  /** Null for AWS itself. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Where the bucket serves its objects to everybody, without a final slash; null if nowhere. */
  readonly publicUrl: string | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
}

/** The folder that a `DATABASE_URL` names; null for another kind of address. */
const sqliteFolder = (url: string): string | null => /^sqlite:(.+)$/.exec(url)?.[1] ?? null;

/** The folder that a `STORAGE_URL` names; null for another kind of address. */
const filesFolder = (address: string): string | null =>
  /^file:(.+)$/.exec(address)?.[1]?.replace(/^\/\/(?=\/)/, "") ?? null;

/** The folders that a process with these settings writes to. */
export const writtenFolders = ({ DATABASE_URL, STORAGE_URL }: Environment): string[] =>
  [sqliteFolder(DATABASE_URL || DATABASE_DEFAULT), filesFolder(STORAGE_URL || STORAGE_DEFAULT)]
    .filter((folder) => folder !== null);

/** The files, of certificates and keys, that a `DATABASE_URL` has MongoDB's driver read. */
export const driverFiles = ({ DATABASE_URL = "" }: Environment): string[] =>
  [...DATABASE_URL.matchAll(/[?&]tls\w+File=([^&]+)/gi)].map(([, path]) =>
    decodeURIComponent(path!)
  );

/** What a command is told, with what holds for it by default. */
export function environmentOf(
  command: string,
  read: (name: string) => string | undefined,
): Environment {
  const given: Environment = Object.fromEntries(
    Object.keys(SETTINGS).map((name) => [name, read(name)]),
  );
  if (command !== "dev") return given;
  const { REGISTRATION, MAIL_URL } = given;
  const held = { REGISTRATION: REGISTRATION || "open", MAIL_URL: MAIL_URL || "keep:" };
  return { ...given, ...held, isDev: true };
}

/** All that is wrong with an environment, a line each. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n- ${problems.join("\n- ")}`);
    this.problems = problems;
  }
}

/** Reads an environment; pure. Throws {@linkcode ConfigError} with every problem at once. */
export function loadConfig(env: Environment): Config {
  const read = reader(env);
  const port = read.wholeNumber("PORT", PORT, 1, 65_535);
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
    queryTimeLimitMs: read.wholeNumber(
      "QUERY_TIME_LIMIT_MS",
      QUERY_TIME_LIMIT_MS,
      1,
      REQUEST_TIMEOUT_MS,
    ),
    secretKeys: read.secretKeys(),
    trustProxy: read.wholeNumber("TRUST_PROXY", 0, 0, 100),
    ratePerMinute: read.ratePerMinute(),
    registration: read.registration(),
    plans: read.choice("PLANS", ["on", "off"]) === "on",
    workers: read.wholeNumber("WORKERS", 1, 1, WORKERS_MAX),
    githubUrl: withoutSlash(read.providerUrl("GITHUB_URL", "https://github.com")),
    githubApiUrl: withoutSlash(read.providerUrl("GITHUB_API_URL", "https://api.github.com")),
    googleIssuer: read.providerUrl("GOOGLE_ISSUER", "https://accounts.google.com"),
    isLocalDev: env.isDev === true && isLocal(publicUrl),
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

const isLocal = (address: string): boolean => LOCAL_HOSTS.includes(hostOf(address));

const withoutSlash = (address: string): string => address.replace(/\/$/, "");

const PORT = 8000;
/** Beyond what a machine of today gains from; catches a slip of the finger. */
const WORKERS_MAX = 256;

const S3_PARAMETERS: readonly string[] = ["endpoint", "region", "publicUrl"];

/** With a project's id behind it, a name of 63 bytes at most, which is MongoDB's limit. */
const DATABASE_PREFIX = /^[A-Za-z0-9_-]{1,38}$/;

function reader(env: Environment) {
  const problems: string[] = [];
  const refuse = (name: SettingName, why: string) => {
    problems.push(`${name} ${why}, got ${JSON.stringify(env[name])}`);
  };

  function text(name: SettingName, missing: string): string {
    return env[name] || missing;
  }

  /** The first choice is the default. */
  function choice<const C extends readonly string[]>(name: SettingName, choices: C) {
    const value = text(name, choices[0]!);
    if (!choices.includes(value)) refuse(name, `must be ${choices.join(" or ")}`);
    return value as C[number];
  }

  function wholeNumber(name: SettingName, missing: number, min: number, max: number): number {
    const value = text(name, String(missing));
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    refuse(name, `must be a whole number from ${min} to ${max}`);
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
      // Addresses of databases hold passwords: no more of it is repeated than what it begins with.
      const scheme = /^[a-z+]{0,20}:/.exec(url)?.[0] ?? "something else";
      problems.push(`DATABASE_URL must be sqlite:<folder> or mongodb://…, got ${scheme}…`);
    }
    return { kind: "sqlite", folder: folder ?? "", sync };
  }

  /** The path of the address; many hosts in it make it no URL. */
  function databasePrefix(url: string): string {
    const prefix = /^[^:]+:\/\/[^/?]+\/([^?]*)/.exec(url)?.[1] || "corbel";
    if (!DATABASE_PREFIX.test(prefix)) {
      // Not repeated: an unescaped slash in a password would make the rest of it a path.
      problems.push(
        "DATABASE_URL must name a prefix of at most 38 letters, digits, _ and - as its path, and " +
          "a password in it must be percent-encoded",
      );
    }
    return prefix;
  }

  /** Null, and a problem, for what is none. */
  function origin(name: SettingName, value: string): URL | null {
    const url = URL.parse(value);
    const isOrigin = url !== null && ["http:", "https:"].includes(url.protocol) &&
      url.href === `${url.origin}/` && !/[?#]/.test(value);
    if (!isOrigin) refuse(name, "must be an http or https origin and nothing behind it");
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
      // What stands before an @ may be a secret.
      if (address.includes("@")) problems.push(`STORAGE_URL ${why}, and hold no keys`);
      else refuse("STORAGE_URL", why);
      return { kind: "disk", folder: "" };
    }
    for (const name of new Set(url.searchParams.keys())) {
      if (S3_PARAMETERS.includes(name) && url.searchParams.getAll(name).length === 1) continue;
      refuse("STORAGE_URL", `must hold no parameter but ${S3_PARAMETERS.join(", ")}, each once`);
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
    const value = text("PUBLIC_URL", `http://localhost:${Number.isNaN(port) ? PORT : port}`);
    const forbidden = choice("ALLOW_INSECURE_COOKIES", ["false", "true"]) === "false";
    const url = origin("PUBLIC_URL", value);
    if (url === null) return value;
    const insecure = url.protocol === "http:" && !LOCAL_HOSTS.includes(url.hostname);
    if (insecure && forbidden) {
      refuse(
        "PUBLIC_URL",
        "must be https, because cookies would travel in the clear (ALLOW_INSECURE_COOKIES=true permits it)",
      );
    }
    return url.origin;
  }

  /** An address that client secrets travel to. */
  function providerUrl(name: SettingName, missing: string): string {
    const value = text(name, missing);
    const url = URL.parse(value);
    const secure = url?.protocol === "https:" ||
      (url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
    if (!secure || url.username !== "" || url.password !== "" || /[?#\s\\]/.test(value)) {
      const why = "must be an https address, or http on localhost, 127.0.0.1 or [::1], " +
        "without a user, query or fragment";
      // What stands before an @ may be a password.
      if (value.includes("@")) problems.push(`${name} ${why}`);
      else refuse(name, why);
    }
    return value;
  }

  function secretKeys(): Secret | null {
    const value = env.SECRET_KEYS;
    if (!value) return null;
    const problem = keyRingProblem(value);
    // The value itself must not be repeated.
    if (problem !== null) problems.push(`SECRET_KEYS cannot be used: ${problem}`);
    return new Secret(value);
  }

  /** It travels in a header. */
  function aiKey(): Secret | null {
    const value = env.AI_API_KEY;
    if (!value) return null;
    if (!/^[\x21-\x7e]+$/.test(value)) {
      problems.push("AI_API_KEY must be printable ASCII without spaces");
    }
    return new Secret(value);
  }

  function aiMonthlyLimit(): number | null {
    return env.AI_MONTHLY_LIMIT ? wholeNumber("AI_MONTHLY_LIMIT", 0, 1, 1e9) : null;
  }

  /** The address has a password in it: it is not repeated. */
  function mail(): MailSettings {
    const [url, from] = [env.MAIL_URL ?? "", (env.MAIL_FROM ?? "").trim()];
    const keeps = url === "keep:";
    if (from !== "" && parseMailbox(from) === null) {
      refuse("MAIL_FROM", "must be one address, or Name <address> without quotes, in one line");
    }
    if (url === "" || keeps) return { url: null, keeps, from };
    if (parseSmtpUrl(url) === null) {
      problems.push(
        "MAIL_URL must be smtp://<user>:<password>@<host>:<port>, smtps://… or keep:, with user and " +
          "password percent-encoded, both or neither, and nothing behind the port",
      );
    }
    if (from === "") problems.push("MAIL_FROM is needed with smtp://… and smtps://…");
    return { url: new Secret(url), keeps, from };
  }

  function registration(): RegistrationRule {
    return env.REGISTRATION ? choice("REGISTRATION", ["open", "invited", "closed"]) : "first";
  }

  function ratePerMinute(): number | null {
    const limit = wholeNumber("RATE_LIMIT_PER_MINUTE", RATE_PER_MINUTE, 1, 1e9);
    return choice("RATE_LIMITS", ["on", "off"]) === "off" ? null : limit;
  }

  return {
    problems,
    text,
    choice,
    wholeNumber,
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
