import { eq } from "../store/filter.ts";
import type { AuthSettings } from "./auth_settings.ts";
import type { FileSettings } from "./file_settings.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** In the control space. */
export const PROJECTS = recordKind({
  name: "projects",
  fields: {
    name: field.text,
    /** Origin of the project's front end; null until it is set. */
    siteUrl: nullable(field.text),
    /** The account whose plan rules it; null for a project that was made without one. */
    ownerId: nullable(field.ref),
    /** The AI key, sealed under the key ring for this project; null without one. */
    sealedAiKey: nullable(field.text),
    /** Grows with every change of who has a part in it. */
    turns: optional(field.number),
    createdAt: field.date,
    /** When it was put into the trash; null while it is in use. */
    deletedAt: nullable(field.date),
    /** When its removal began: it cannot be restored any more. */
    removedAt: optional(field.date),
    /** Which archive it is being made of; null, or left out, once it is whole. */
    importDigest: optional(nullable(field.text)),
    /** Time of the last progress of its import, ISO 8601. */
    importTouchedAt: optional(nullable(field.date)),
    /** Incremented about every second by the import that runs; null, or left out, while none does. */
    importBeats: optional(nullable(field.number)),
    /** If any are listed, publishable keys work from these origins only. */
    allowedOrigins: field.undeclared<string[]>(),
    /** Those that were set; `authSettingsOf` fills the others in. */
    auth: optional(field.undeclared<Partial<AuthSettings>>()),
    /** The same of `fileSettingsOf`. */
    files: optional(field.undeclared<Partial<FileSettings>>()),
    /** Until when all of its requests are kept; null, or left out, for those that fail alone. */
    recordsRequestsUntil: optional(field.undeclared<string | null>()),
  },
  indexes: [{ keys: [{ path: "ownerId", descending: false }] }],
  trash: false,
});

export type ProjectRecord = RecordOf<typeof PROJECTS>;

/** Whole: not one that is being imported. */
export const IS_WHOLE = eq("importDigest", null);

/** Not in the trash. Projects of earlier versions know none. */
export const IN_USE = eq("deletedAt", null);

export const isTrashed = ({ deletedAt }: ProjectRecord): boolean => (deletedAt ?? null) !== null;
