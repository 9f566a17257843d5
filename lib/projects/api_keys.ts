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

/** A use of a key by a page, which shows it to everybody who opens it. */
export type BrowserUse = {
  /** As the browser names it, cut off where it is long. */
  origin: string;
  at: string;
};

/** In the control space. */
export const API_KEYS = recordKind({
  name: "apiKeys",
  fields: {
    projectId: field.ref,
    kind: field.textOf<KeyKind>(),
    /** SHA-256 of the key. A secret key itself is shown once and kept nowhere. */
    hash: field.text,
    /** A publishable key itself, which anybody may know; those of earlier versions lack it. */
    text: optional(field.text),
    /** The first characters of a secret key, by which it is told from others; as above. */
    start: optional(field.text),
    createdAt: field.date,
    /** Of a secret key; null, or left out, where it was never used so. */
    seenInBrowser: optional(field.undeclared<BrowserUse | null>()),
  },
  indexes: [
    { keys: [{ path: "hash", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }] },
  ],
  trash: false,
});

export type ApiKeyRecord = RecordOf<typeof API_KEYS>;

/**
 * A key that was rotated and works until its end: one of each project and kind. In the control
 * space.
 */
export const FORMER_KEYS = recordKind({
  name: "formerApiKeys",
  fields: {
    projectId: field.ref,
    kind: field.textOf<KeyKind>(),
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

/** Whether it could be a key, by its looks. */
export const isApiKey = (text: string): boolean => KEY.test(text);

/** Whether it looks like a secret key, be it one or not. */
export const looksSecret = (text: string): boolean => text.startsWith(PREFIXES.secret);

/** A fresh key of 32 random bytes. */
export const newApiKey = (kind: KeyKind): string => PREFIXES[kind] + randomToken();

/** `sk_live_` and four more: too few to guess the rest by. */
const SECRET_START_LENGTH = 12;

/** What is kept of a key. */
export const keptOfKey = (
  kind: KeyKind,
  key: string,
): Pick<ApiKeyRecord, "hash" | "text" | "start"> => ({
  hash: sha256(key),
  ...(kind === "publishable" ? { text: key } : { start: key.slice(0, SECRET_START_LENGTH) }),
});

/** What a valid key opens. */
export interface ApiKeyPrincipal {
  readonly kind: KeyKind;
  readonly projectId: Id;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
  /** Until when all requests of the project are kept; null for those that fail alone. */
  readonly recordsUntil: string | null;
}

/** Finds projects by their keys. */
export interface KeyDirectory {
  /** Null for anything but a current key, or a former one before its end. */
  find(key: string): MaybePromise<ApiKeyPrincipal | null>;
  /** Drops what is remembered of a project; other processes notice within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const KEYS_KEPT = 20_000;

export function createKeyDirectory(engine: Engine, clock: Clock): KeyDirectory {
  const known = createReadThrough<ApiKeyPrincipal>({ clock, max: KEYS_KEPT }, async (key) => {
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
    find: (key) => known.get(key),
    forget: (projectId) => known.forget((_key, holder) => holder.projectId === projectId),
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
