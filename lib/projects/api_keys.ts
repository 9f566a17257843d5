import { createReadThrough } from "../cache.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import { type AuthSettings, authSettingsOf } from "./auth_settings.ts";
import { type FileSettings, fileSettingsOf } from "./file_settings.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export const KEY_KINDS = ["publishable", "secret"] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

/** A use of a key by a web page, which reveals the key to its visitors. */
export type BrowserUse = {
  /** The page's origin as the browser sends it, truncated. */
  origin: string;
  at: string;
};

/** API keys that are valid until they are rotated. Stored in the control space. */
export const API_KEYS = recordKind({
  name: "apiKeys",
  fields: {
    projectId: field.ref,
    kind: field.oneOf<KeyKind>(),
    /** SHA-256 of the key. A secret key is shown once and never stored. */
    hash: field.text,
    /** Text of a publishable key; keys of earlier versions lack it. */
    text: optional(field.text),
    /** Start of a secret key, to recognize it; keys of earlier versions lack it. */
    start: optional(field.text),
    createdAt: field.date,
    /** The last use of a secret key; null or omitted if there was none. */
    seenInBrowser: optional(field.undeclared<BrowserUse | null>()),
  },
  indexes: [
    { keys: [{ path: "hash", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }] },
  ],
  trash: false,
});

export type ApiKeyRecord = RecordOf<typeof API_KEYS>;

/** Rotated keys, at most one per project and kind. Stored in the control space. */
export const FORMER_KEYS = recordKind({
  name: "formerApiKeys",
  fields: {
    projectId: field.ref,
    kind: field.oneOf<KeyKind>(),
    hash: field.text,
    expiresAt: field.date,
  },
  indexes: [
    { keys: [{ path: "hash", descending: false }] },
    { keys: [{ path: "projectId", descending: false }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

export type FormerKeyRecord = RecordOf<typeof FORMER_KEYS>;

const PREFIXES: Record<KeyKind, string> = { publishable: "pk_live_", secret: "sk_live_" };
const KEY = /^(?:pk|sk)_live_[A-Za-z0-9_-]{43}$/;

export const isApiKey = (text: string): boolean => KEY.test(text);

/** Whether a text starts like a secret key, even if the rest is malformed. */
export const startsLikeSecretKey = (text: string): boolean => text.startsWith(PREFIXES.secret);

export const generateApiKey = (kind: KeyKind): string => PREFIXES[kind] + randomToken();

/** Characters of `sk_live_` and four more, which do not help to guess the rest. */
const SECRET_START_LENGTH = 12;

export const toStoredKey = (
  kind: KeyKind,
  key: string,
): Pick<ApiKeyRecord, "hash" | "text" | "start"> => ({
  hash: sha256(key),
  ...(kind === "publishable" ? { text: key } : { start: key.slice(0, SECRET_START_LENGTH) }),
});

export interface ApiKeyPrincipal {
  readonly kind: KeyKind;
  readonly projectId: Id;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
  /** End of the logging of all requests of the project; null if only failures are logged. */
  readonly recordsUntil: string | null;
}

export interface KeyDirectory {
  /** Returns null unless `key` is a current key, or a rotated key that has not expired. */
  find(key: string): MaybePromise<ApiKeyPrincipal | null>;
  /** Drops the cache entries of a project. Other processes notice a change within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const CACHED_KEYS_MAX = 20_000;

export function createKeyDirectory(engine: Engine, clock: Clock): KeyDirectory {
  const cache = createReadThrough<ApiKeyPrincipal>({ clock, max: CACHED_KEYS_MAX }, async (key) => {
    if (!isApiKey(key)) return null;
    const found = await findKey(engine, clock, sha256(key));
    if (found === null) return null;
    const { projectId, kind } = found;
    const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
    if (project === null || isTrashed(project.value)) return null;
    const { siteUrl, allowedOrigins, recordsRequestsUntil: recordsUntil = null } = project.value;
    const [auth, files] = [authSettingsOf(project.value), fileSettingsOf(project.value)];
    return { kind, projectId, siteUrl, allowedOrigins, auth, files, recordsUntil };
  });
  return {
    find: (key) => cache.get(key),
    forget: (projectId) => cache.invalidate((_key, holder) => holder.projectId === projectId),
  };
}

async function findKey(
  engine: Engine,
  clock: Clock,
  hash: string,
): Promise<Pick<ApiKeyRecord, "projectId" | "kind"> | null> {
  const current = await engine.records<ApiKeyRecord>("control", API_KEYS)
    .findOne(eq("hash", hash));
  if (current !== null) return current.value;
  const isValid = and(eq("hash", hash), compare("expiresAt", "gt", timestamp(clock)));
  const former = await engine.records<FormerKeyRecord>("control", FORMER_KEYS).findOne(isValid);
  return former?.value ?? null;
}
