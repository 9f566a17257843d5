import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import { type AuthSettings, authSettingsOf } from "./auth_settings.ts";
import { type FileSettings, fileSettingsOf } from "./file_settings.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";
import type { MaybePromise } from "../maybe_promise.ts";

export const KEY_KINDS = ["publishable", "secret"] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

export type ApiKeyRecord = StoredRecord & {
  projectId: Id;
  kind: KeyKind;
  /** SHA-256 of the key. A secret key itself is shown once and kept nowhere. */
  hash: string;
  /** A publishable key itself, which anybody may know; those of earlier versions lack it. */
  text?: string;
  createdAt: string;
};

/** In the control space. */
export const API_KEYS: Definition = {
  name: "apiKeys",
  fields: {
    projectId: { type: "Ref" },
    kind: { type: "String" },
    hash: { type: "String" },
    text: { type: "String" },
    createdAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "hash", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }] },
  ],
  trash: false,
};

const PREFIXES: Record<KeyKind, string> = { publishable: "pk_live_", secret: "sk_live_" };
const KEY = /^(?:pk|sk)_live_[A-Za-z0-9_-]{43}$/;

/** A fresh key of 32 random bytes. */
export const newApiKey = (kind: KeyKind): string => PREFIXES[kind] + randomToken();

/** What is kept of a key. */
export const keptOfKey = (kind: KeyKind, key: string): Pick<ApiKeyRecord, "hash" | "text"> => ({
  hash: sha256(key),
  ...(kind === "publishable" && { text: key }),
});

/** What a valid key opens. */
export interface ApiKeyPrincipal {
  readonly kind: KeyKind;
  readonly projectId: Id;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
}

/** Finds projects by their keys. */
export interface KeyDirectory {
  /** Null for anything but a current key. */
  find(key: string): MaybePromise<ApiKeyPrincipal | null>;
  /** Drops what is remembered of a project; other processes notice within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const KEYS_KEPT = 20_000;

export function createKeyDirectory(engine: Engine, clock: Clock): KeyDirectory {
  const known = createReadThrough<ApiKeyPrincipal>({ clock, max: KEYS_KEPT }, async (key) => {
    if (!KEY.test(key)) return null;
    const keys = engine.records<ApiKeyRecord>("control", API_KEYS);
    const found = await keys.findOne(eq("hash", sha256(key)));
    if (found === null) return null;
    const { projectId, kind } = found.value;
    const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
    if (project === null || isTrashed(project.value)) return null;
    const { siteUrl, allowedOrigins } = project.value;
    const [auth, files] = [authSettingsOf(project.value), fileSettingsOf(project.value)];
    return { kind, projectId, siteUrl, allowedOrigins, auth, files };
  });
  return {
    find: (key) => known.get(key),
    forget: (projectId) => known.forget((_key, holder) => holder.projectId === projectId),
  };
}
