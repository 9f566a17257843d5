import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { Secret } from "../crypto/secret.ts";
import type { Egress } from "../http/egress.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { parseSmtpUrl, type SmtpServer } from "../text/mail_addresses.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A project's own mail server and its language: one record in each project's space. */
export const MAIL_SETTINGS = recordKind({
  name: "_mailSettings",
  fields: {
    /** Sealed URL of the server with user and password; null if the project has no server. */
    sealedUrl: nullable(field.text),
    /** Host and port of the URL, which are not secret; null if the project has no server. */
    host: nullable(field.text),
    port: nullable(field.number),
    hasPassword: field.flag,
    /** Sender, in the form of `parseMailbox`; null if the project has no server. */
    from: nullable(field.text),
    replyTo: nullable(field.text),
    /** Language of mails if no template matches the requested languages; null for English. */
    language: nullable(field.text),
    /** Number of added templates. Incremented to make transactions that add one run in sequence. */
    templatesAdded: optional(field.number),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [],
  trash: false,
});

export type MailSettingsRecord = RecordOf<typeof MAIL_SETTINGS>;

const SETTINGS_ID = hashedId("mail settings");

const bindingOf = (project: Id) => ({ project, purpose: "mail server" });

export const MAIL_SEALS: SealedField = {
  definition: MAIL_SETTINGS,
  member: "sealedUrl",
  binding: (_record, projectId) => bindingOf(projectId!),
};

interface MailSettingsStore {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
}

export async function findMailSettings(
  { engine }: Pick<MailSettingsStore, "engine">,
  projectId: Id,
): Promise<MailSettingsRecord | null> {
  const found = await engine.records<MailSettingsRecord>(projectId, MAIL_SETTINGS)
    .get(SETTINGS_ID);
  return found?.value ?? null;
}

/** Creates the record if it is missing, before a transaction that adds a template. */
export async function ensureMailSettings(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const records = engine.records<MailSettingsRecord>(projectId, MAIL_SETTINGS);
  const _id = SETTINGS_ID;
  if (await records.get(_id) !== null) return;
  const now = timestamp(clock);
  await records.upsert(eq("_id", _id), {}, {
    _id,
    ...DEFAULT_SETTINGS,
    createdAt: now,
    updatedAt: now,
  });
}

/** Counts a template, so that their number cannot change until the transaction commits. */
export async function countTemplate(tx: Transaction): Promise<void> {
  await tx.records<MailSettingsRecord>(MAIL_SETTINGS)
    .updateOne(eq("_id", SETTINGS_ID), { increment: { templatesAdded: 1 } });
}

export interface OwnMailServer {
  readonly url: Secret;
  readonly from: string;
}

/** Decrypts the URL of a project's own server; null if it has none. */
export async function openMailServer(
  { keyRing }: Pick<MailSettingsStore, "keyRing">,
  projectId: Id,
  { sealedUrl, from }: MailSettingsRecord,
): Promise<OwnMailServer | null> {
  if (sealedUrl === null || from === null) return null;
  return { url: new Secret(await keyRing.open(sealedUrl, bindingOf(projectId))), from };
}

/** Changes of the settings. Omitted members stay unchanged. */
export interface MailSettingsInput {
  /** URL in the form of `parseSmtpUrl`. */
  readonly url?: string | undefined;
  /** Sender in the form of `parseMailbox`. */
  readonly from?: string | undefined;
  readonly replyTo?: string | null | undefined;
  readonly mailLanguage?: string | null | undefined;
}

type SettingsValues = Pick<MailSettingsRecord, keyof typeof WITHOUT_SERVER | "language">;

const WITHOUT_SERVER = {
  sealedUrl: null,
  host: null,
  port: null,
  hasPassword: false,
  from: null,
  replyTo: null,
} as const;

interface SettingServices extends MailSettingsStore {
  readonly clock: Clock;
  readonly egress: Pick<Egress, "admits">;
}

/** Throws `INVALID_INPUT` for a server without `from`, or the reverse, and a forbidden host. */
export async function setMailSettings(
  services: SettingServices,
  projectId: Id,
  { url, from, replyTo, mailLanguage }: MailSettingsInput,
): Promise<MailSettingsInfo> {
  const server = url === undefined ? {} : await sealServer(services, projectId, url);
  return await changeSettings(services, projectId, (stored) => {
    const values = {
      ...stored,
      ...server,
      ...(from !== undefined && { from }),
      ...(replyTo !== undefined && { replyTo }),
      ...(mailLanguage !== undefined && { language: mailLanguage }),
    };
    const hasServer = values.sealedUrl !== null;
    if (hasServer === (values.from !== null) && (hasServer || values.replyTo === null)) {
      return values;
    }
    throw new Problem("INVALID_INPUT", {
      message: hasServer
        ? '"from" is missing: it is the sender of mails by this server.'
        : '"url" is missing: the project has no mail server of its own to keep.',
    });
  });
}

/** Removes the project's own server, if it has one. Mails that wait for it fail. */
export async function clearMailServer(
  services: Pick<SettingServices, "engine" | "clock">,
  projectId: Id,
): Promise<MailSettingsInfo> {
  return await changeSettings(
    services,
    projectId,
    ({ language }) => ({ ...WITHOUT_SERVER, language }),
  );
}

async function sealServer({ keyRing, egress }: SettingServices, projectId: Id, url: string) {
  const server = parseSmtpUrl(url)!; // The URL was checked when the request was read.
  if (!egress.admits(server.host)) {
    throw new Problem("INVALID_INPUT", {
      message: '"url" must not lead to an address in a private network ' +
        "(ALLOW_PRIVATE_ENDPOINTS=true permits it).",
    });
  }
  const sealedUrl = await keyRing.seal(url, bindingOf(projectId));
  return { sealedUrl, ...serverFields(server) };
}

const serverFields = ({ host, port, user }: SmtpServer) => ({
  host,
  port,
  hasPassword: user !== null,
});

async function changeSettings(
  { engine, clock }: Pick<SettingServices, "engine" | "clock">,
  projectId: Id,
  change: (stored: SettingsValues) => SettingsValues,
): Promise<MailSettingsInfo> {
  const now = timestamp(clock);
  const write = () =>
    engine.transaction(projectId, async (tx) => {
      const records = tx.records<MailSettingsRecord>(MAIL_SETTINGS);
      const _id = SETTINGS_ID;
      const stored = (await records.get(_id))?.value;
      const values = { ...change(valuesOf(stored ?? DEFAULT_SETTINGS)), updatedAt: now };
      const record = stored === undefined
        ? await records.insert({ _id, ...values, createdAt: now })
        : await records.updateOne(eq("_id", _id), { set: values });
      return describeMailSettings(record!.value); // This transaction has read or created it.
    });
  try {
    return await write();
  } catch (error) {
    // Another request has created the record at the same time.
    if (!(error instanceof UniqueViolation)) throw error;
    return await write();
  }
}

const valuesOf = (
  { sealedUrl, host, port, hasPassword, from, replyTo, language }: SettingsValues,
): SettingsValues => ({ sealedUrl, host, port, hasPassword, from, replyTo, language });

const DEFAULT_SETTINGS: SettingsValues = { ...WITHOUT_SERVER, language: null };

/** Mail settings of a project as the API returns them, without the password. */
export interface MailSettingsInfo {
  /** The project's own server; null if mails are sent by the platform's server. */
  readonly own: {
    readonly host: string;
    readonly port: number;
    readonly from: string;
    readonly replyTo: string | null;
    readonly hasPassword: boolean;
  } | null;
  readonly mailLanguage: string | null;
}

/** Returns the settings without secrets. @param stored Null if none were ever set. */
export function describeMailSettings(stored: MailSettingsRecord | null): MailSettingsInfo {
  if (stored === null) return { own: null, mailLanguage: null };
  const { host, port, from, replyTo, hasPassword, language } = stored;
  const own = host === null || port === null || from === null
    ? null
    : { host, port, from, replyTo, hasPassword };
  return { own, mailLanguage: language };
}
