import { eq } from "../store/filter.ts";
import type { AuthSettings } from "./auth_settings.ts";
import type { FileSettings } from "./file_settings.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** The projects. Stored in the control space. */
export const PROJECTS = recordKind({
  name: "projects",
  fields: {
    name: field.text,
    /** Origin of the project's front end; null until it is set. */
    siteUrl: nullable(field.text),
    /** Account whose plan applies; null without an owner. */
    ownerId: nullable(field.ref),
    /** Sealed under the key ring for this project; null without a key. */
    sealedAiKey: nullable(field.text),
    /** Incremented by every change of the owner, the members and the invitations. */
    turns: optional(field.number),
    createdAt: field.date,
    /** Null while the project is not in the trash. */
    deletedAt: nullable(field.date),
    /** Start of the removal. The project cannot be restored afterwards. */
    removedAt: optional(field.date),
    /** Digest of the archive that is being imported; null or omitted otherwise. */
    importDigest: optional(nullable(field.text)),
    /** Time of the last progress of a running import, ISO 8601. */
    importTouchedAt: optional(nullable(field.date)),
    /** Incremented about every second by a running import; null or omitted otherwise. */
    importBeats: optional(nullable(field.number)),
    /** The only origins that may use publishable keys; all may if the list is empty. */
    allowedOrigins: field.undeclared<string[]>(),
    /** Changed settings; `authSettingsOf` adds the defaults. */
    auth: optional(field.undeclared<Partial<AuthSettings>>()),
    /** Changed settings; `fileSettingsOf` adds the defaults. */
    files: optional(field.undeclared<Partial<FileSettings>>()),
    /** End of the logging of all requests; null or omitted if only failures are logged. */
    recordsRequestsUntil: optional(field.undeclared<string | null>()),
  },
  indexes: [{ keys: [{ path: "ownerId", descending: false }] }],
  trash: false,
});

export type ProjectRecord = RecordOf<typeof PROJECTS>;

export const IS_NOT_IMPORTING = eq("importDigest", null);

/** Matches projects that are not in the trash. Earlier versions left out the field. */
export const IN_USE = eq("deletedAt", null);

export const isTrashed = ({ deletedAt }: ProjectRecord): boolean => (deletedAt ?? null) !== null;
