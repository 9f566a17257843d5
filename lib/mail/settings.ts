import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { Secret } from "../crypto/secret.ts";
import type { Egress } from "../http/egress.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { parseSmtpUrl, type SmtpServer } from "../text/mail_addresses.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * A project's own way to send mail, and in which language it writes. In each project's space, one
 * record.
 */
export const MAIL_SETTINGS = recordKind({
  name: "_mailSettings",
  fields: {
    /** The server's address, user and password in it, sealed for this project; null for none. */
    sealedUrl: nullable(field.text),
    /** What of the address may be shown; null for none. */
    host: nullable(field.text),
    port: nullable(field.number),
    hasPassword: field.flag,
    /** As `parseMailbox` reads it; null without a server. */
    from: nullable(field.text),
    replyTo: nullable(field.text),
    /** Of mails to whoever asks for no language that there are templates in; null for English. */
    language: nullable(field.text),
    /** Grows with each template: transactions that add one wait for one another for it. */
    templatesAdded: optional(field.number),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [],
  trash: false,
});

export type MailSettingsRecord = RecordOf<typeof MAIL_SETTINGS>;

const THE_SETTINGS = hashedId("mail settings");

const bindingOf = (project: Id) => ({ project, purpose: "mail server" });

export const MAIL_SEALS: SealedPlace = {
  definition: MAIL_SETTINGS,
  member: "sealedUrl",
  binding: (_record, projectId) => bindingOf(projectId!),
};

interface MailSettingsStore {
  readonly engine: Engine;
  readonly keyRing: KeyRing;
}

/** As they are stored now; null where nothing was ever set. */
export async function findMailSettings(
  { engine }: Pick<MailSettingsStore, "engine">,
  projectId: Id,
): Promise<MailSettingsRecord | null> {
  const found = await engine.records<MailSettingsRecord>(projectId, MAIL_SETTINGS)
    .get(THE_SETTINGS);
  return found?.value ?? null;
}

/** Before a transaction that adds a template. */
export async function ensureMailSettings(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const records = engine.records<MailSettingsRecord>(projectId, MAIL_SETTINGS);
  const _id = THE_SETTINGS;
  if (await records.get(_id) !== null) return;
  const now = timestamp(clock);
  await records.upsert(eq("_id", _id), {}, { _id, ...UNSET, createdAt: now, updatedAt: now });
}

/** What a transaction counts of templates after this still holds when it commits. */
export async function addTemplate(tx: Transaction): Promise<void> {
  await tx.records<MailSettingsRecord>(MAIL_SETTINGS)
    .updateOne(eq("_id", THE_SETTINGS), { increment: { templatesAdded: 1 } });
}

/** A project's own server, opened. */
export interface OwnMailServer {
  /** As `parseSmtpUrl` reads it. */
  readonly url: Secret;
  readonly from: string;
}

/** Null without one. */
export async function openMailServer(
  { keyRing }: Pick<MailSettingsStore, "keyRing">,
  projectId: Id,
  { sealedUrl, from }: MailSettingsRecord,
): Promise<OwnMailServer | null> {
  if (sealedUrl === null || from === null) return null;
  return { url: new Secret(await keyRing.open(sealedUrl, bindingOf(projectId))), from };
}

/** What is given of the settings; what is left out stays as it is. */
export interface MailSettingsInput {
  /** As `parseSmtpUrl` reads it. */
  readonly url?: string | undefined;
  /** As `parseMailbox` reads it. */
  readonly from?: string | undefined;
  readonly replyTo?: string | null | undefined;
  readonly mailLanguage?: string | null | undefined;
}

type Values = Pick<MailSettingsRecord, keyof typeof WITHOUT_SERVER | "language">;

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

/**
 * Sets a project's own server, or of its settings those that are given. Throws `INVALID_INPUT` for
 * a server without a `from`, or the other way round, and for an address that cannot be connected to.
 */
export async function setMailSettings(
  services: SettingServices,
  projectId: Id,
  { url, from, replyTo, mailLanguage }: MailSettingsInput,
): Promise<ShownMailSettings> {
  const server = url === undefined ? {} : await sealedServer(services, projectId, url);
  return await changeSettings(services, projectId, (stored) => {
    const values = {
      ...stored,
      ...server,
      ...(from !== undefined && { from }),
      ...(replyTo !== undefined && { replyTo }),
      ...(mailLanguage !== undefined && { language: mailLanguage }),
    };
    const isServer = values.sealedUrl !== null;
    if (isServer === (values.from !== null) && (isServer || values.replyTo === null)) return values;
    throw new Problem("INVALID_INPUT", {
      message: isServer
        ? '"from" is missing: whom mails by this server are from.'
        : '"url" is missing: the project has no mail server of its own to keep.',
    });
  });
}

/** Takes the project's own server away, if it has one. Mails that wait for it fail. */
export async function clearMailServer(
  services: Pick<SettingServices, "engine" | "clock">,
  projectId: Id,
): Promise<ShownMailSettings> {
  return await changeSettings(
    services,
    projectId,
    ({ language }) => ({ ...WITHOUT_SERVER, language }),
  );
}

async function sealedServer(
  { keyRing, egress }: SettingServices,
  projectId: Id,
  url: string,
) {
  const server = parseSmtpUrl(url)!; // Checked where it was read.
  if (!egress.admits(server.host)) {
    throw new Problem("INVALID_INPUT", {
      message: '"url" must not lead to an address in a private network ' +
        "(ALLOW_PRIVATE_ENDPOINTS=true permits it).",
    });
  }
  const sealedUrl = await keyRing.seal(url, bindingOf(projectId));
  return { sealedUrl, ...shownServer(server) };
}

const shownServer = ({ host, port, user }: SmtpServer) => ({
  host,
  port,
  hasPassword: user !== null,
});

async function changeSettings(
  { engine, clock }: Pick<SettingServices, "engine" | "clock">,
  projectId: Id,
  change: (stored: Values) => Values,
): Promise<ShownMailSettings> {
  const now = timestamp(clock);
  const write = () =>
    engine.transaction(projectId, async (tx) => {
      const records = tx.records<MailSettingsRecord>(MAIL_SETTINGS);
      const _id = THE_SETTINGS;
      const stored = (await records.get(_id))?.value;
      const values = { ...change(valuesOf(stored ?? UNSET)), updatedAt: now };
      const record = stored === undefined
        ? await records.insert({ _id, ...values, createdAt: now })
        : await records.updateOne(eq("_id", _id), { set: values });
      return shownMailSettings(record!.value); // It was read in this transaction.
    });
  try {
    return await write();
  } catch (error) {
    // Another request has made the record in this very moment.
    if (!(error instanceof UniqueViolation)) throw error;
    return await write();
  }
}

const valuesOf = (
  { sealedUrl, host, port, hasPassword, from, replyTo, language }: Values,
): Values => ({ sealedUrl, host, port, hasPassword, from, replyTo, language });

const UNSET: Values = { ...WITHOUT_SERVER, language: null };

/** What is told of a project's mail: nothing of its password. */
export interface ShownMailSettings {
  /** Null where the platform's server sends. */
  readonly own: {
    readonly host: string;
    readonly port: number;
    readonly from: string;
    readonly replyTo: string | null;
    readonly hasPassword: boolean;
  } | null;
  readonly mailLanguage: string | null;
}

/** @param stored Null where nothing was ever set. */
export function shownMailSettings(stored: MailSettingsRecord | null): ShownMailSettings {
  if (stored === null) return { own: null, mailLanguage: null };
  const { host, port, from, replyTo, hasPassword, language } = stored;
  const own = host === null || port === null || from === null
    ? null
    : { host, port, from, replyTo, hasPassword };
  return { own, mailLanguage: language };
}
