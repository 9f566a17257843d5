import { eq } from "../store/filter.ts";
import type { AuthSettings } from "./auth_settings.ts";
import type { FileSettings } from "./file_settings.ts";
import type { Definition, Id, StoredRecord } from "../store/port.ts";

export type ProjectRecord = StoredRecord & {
  name: string;
  /** Origin of the project's front end; null until it is set. */
  siteUrl: string | null;
  /** If any are listed, publishable keys work from these origins only. */
  allowedOrigins: string[];
  /** Those that were set; `authSettingsOf` fills the others in. */
  auth?: Partial<AuthSettings>;
  /** The same of `fileSettingsOf`. */
  files?: Partial<FileSettings>;
  /** The account whose plan rules it; null for a project that was made without one. */
  ownerId: Id | null;
  /** The AI key, sealed under the key ring for this project; null without one. */
  sealedAiKey: string | null;
  /** Grows with every change of who has a part in it. */
  turns?: number;
  /** Until when all of its requests are kept; null, or left out, for those that fail alone. */
  recordsRequestsUntil?: string | null;
  createdAt: string;
  /** When it was put into the trash; null while it is in use. */
  deletedAt: string | null;
  /** When its removal began: it cannot be restored any more. */
  removedAt?: string;
  /** Which archive it is being made of; null, or left out, once it is whole. */
  importDigest?: string | null;
  /** Time of the last progress of its import, ISO 8601. */
  importTouchedAt?: string | null;
  /** Incremented about every second by the import that runs; null, or left out, while none does. */
  importBeats?: number | null;
};

/** In the control space. */
export const PROJECTS: Definition = {
  name: "projects",
  fields: {
    name: { type: "String" },
    siteUrl: { type: "String" },
    ownerId: { type: "Ref" },
    sealedAiKey: { type: "String" },
    turns: { type: "Number" },
    createdAt: { type: "Date" },
    deletedAt: { type: "Date" },
    removedAt: { type: "Date" },
    importDigest: { type: "String" },
    importTouchedAt: { type: "Date" },
    importBeats: { type: "Number" },
  },
  indexes: [{ keys: [{ path: "ownerId", descending: false }] }],
  trash: false,
};

/** Whole: not one that is being imported. */
export const IS_WHOLE = eq("importDigest", null);

/** Not in the trash. Projects of earlier versions know none. */
export const IN_USE = eq("deletedAt", null);

export const isTrashed = ({ deletedAt }: ProjectRecord): boolean => (deletedAt ?? null) !== null;
