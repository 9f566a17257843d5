import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { MAIL_TEMPLATES_MAX } from "../limits.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem, PROBLEMS } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";
import { quoted } from "../text/input_text.ts";
import { bestLanguage } from "../text/languages.ts";
import { didYouMean } from "../text/nearest.ts";
import { htmlToText } from "./html_text.ts";
import type { MailKind } from "./mails.ts";
import { countTemplate, ensureMailSettings } from "./settings.ts";
import type { MailTemplate } from "./templates.ts";

/** A project's own template, identified by name and language. */
export type MailTemplateRecord = StoredRecord & MailTemplate & {
  /** Kind of a mail that Corbel sends, or a name that the project has chosen. */
  name: string;
  /** Canonical language tag, as returned by `Intl.getCanonicalLocales`. */
  language: string;
  createdAt: string;
  updatedAt: string;
};

/** Templates in each project's space. The id is derived from name and language. */
export const MAIL_TEMPLATES: Definition = {
  name: "_mailTemplates",
  fields: {
    name: { type: "String" },
    language: { type: "String" },
    subject: { type: "String" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "name", descending: false }, { path: "language", descending: false }] },
    { keys: [{ path: "createdAt", descending: true }] },
  ],
  trash: false,
};

export const TEMPLATE_NAME = /^[a-z][A-Za-z0-9-]{0,49}$/;

/** Name and language, which identify a template of a project. */
export interface TemplateKey {
  readonly name: string;
  readonly language: string;
}

interface TemplateServices {
  readonly engine: Engine;
}

const templateIdOf = ({ name, language }: TemplateKey): Id =>
  hashedId(`mail template ${name} ${language}`);

const templatesOf = ({ engine }: TemplateServices, projectId: Id) =>
  engine.records<MailTemplateRecord>(projectId, MAIL_TEMPLATES);

/** Lists the project's own templates, newest first. Throws `INVALID_CURSOR`. */
export async function listTemplates(
  services: TemplateServices & { readonly cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<TemplateInfo>> {
  const list = { space: projectId, definition: MAIL_TEMPLATES };
  const { items, nextCursor } = await readPage<MailTemplateRecord>(services, list, request);
  return { items: items.map(toTemplateInfo), nextCursor };
}

/** A template in a request, with a text, HTML or both. */
export interface TemplateInput {
  readonly subject: string;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}

/** Returns a template that always has a text, which is made of the HTML if it is missing. */
export const toMailTemplate = ({ subject, text, html = "" }: TemplateInput): MailTemplate => ({
  subject,
  text: text ?? htmlToText(html),
  html: html === "" ? null : html,
});

/** Creates or replaces a project's template. Throws `MAIL_TEMPLATE_LIMIT_REACHED`. */
export async function setTemplate(
  services: TemplateServices & { readonly clock: Clock },
  projectId: Id,
  { name, language, ...input }: TemplateKey & TemplateInput,
): Promise<TemplateInfo> {
  const _id = templateIdOf({ name, language });
  const now = timestamp(services.clock);
  const values = { name, language, ...toMailTemplate(input), updatedAt: now };
  await ensureMailSettings(services, projectId);
  const write = () =>
    services.engine.transaction(projectId, async (tx) => {
      const templates = tx.records<MailTemplateRecord>(MAIL_TEMPLATES);
      const changed = await templates.updateOne(eq("_id", _id), { set: values });
      if (changed !== null) return toTemplateInfo(changed.value);
      await countTemplate(tx);
      if (await templates.count(ALL) >= MAIL_TEMPLATES_MAX) {
        throw new Problem("MAIL_TEMPLATE_LIMIT_REACHED");
      }
      return toTemplateInfo((await templates.insert({ _id, ...values, createdAt: now })).value);
    });
  try {
    return await write();
  } catch (error) {
    // Another request has created the template at the same time.
    if (!(error instanceof UniqueViolation)) throw error;
    return await write();
  }
}

/** Deletes a project's template. Throws `MAIL_TEMPLATE_NOT_FOUND`. */
export async function deleteTemplate(
  services: TemplateServices,
  projectId: Id,
  key: TemplateKey,
): Promise<void> {
  const deleted = await templatesOf(services, projectId).deleteOne(eq("_id", templateIdOf(key)));
  if (deleted === null) throw await templateNotFound(services, projectId, key.name);
}

/** Returns `MAIL_TEMPLATE_NOT_FOUND` with the languages of the name, or similar names. */
export async function templateNotFound(
  services: TemplateServices,
  projectId: Id,
  name: string,
): Promise<Problem> {
  const { groups } = await templatesOf(services, projectId).aggregate({
    filter: ALL,
    keys: [{ path: "name" }, { path: "language" }],
    figures: [],
    sort: [],
    limit: MAIL_TEMPLATES_MAX,
  });
  const languages = groups.filter(({ keys: [own] }) => own === name).map(({ keys }) => keys[1]);
  const hint = languages.length > 0
    ? ` Of ${quoted(name)} it has ${languages.join(", ")}.`
    : didYouMean(name, groups.map(({ keys }) => String(keys[0])));
  const { message } = PROBLEMS.MAIL_TEMPLATE_NOT_FOUND;
  return new Problem("MAIL_TEMPLATE_NOT_FOUND", { message: message + hint });
}

export interface TemplateInfo extends TemplateKey, MailTemplate {
  readonly id: Id;
  readonly updatedAt: string;
}

const toTemplateInfo = (
  { _id, name, language, subject, text, html, updatedAt }: MailTemplateRecord,
): TemplateInfo => ({ id: _id, name, language, subject, text, html, updatedAt });

/** Returns a template in the best of the `wanted` languages; null if there is none. */
export async function findTemplate(
  services: TemplateServices,
  projectId: Id,
  name: string,
  wanted: readonly string[],
): Promise<MailTemplate | null> {
  const templates = templatesOf(services, projectId);
  // Reads only the languages, because the texts of all languages may be large.
  const { groups } = await templates.aggregate({
    filter: eq("name", name),
    keys: [{ path: "language" }],
    figures: [],
    sort: [],
    limit: MAIL_TEMPLATES_MAX,
  });
  const language = bestLanguage(groups.map(({ keys }) => String(keys[0])), wanted);
  if (language === null) return null;
  return (await templates.get(templateIdOf({ name, language })))?.value ?? null;
}

/** Returns a project's template by id. Throws `MAIL_TEMPLATE_NOT_FOUND`. */
export async function templateById(
  services: TemplateServices,
  projectId: Id,
  id: Id,
): Promise<MailTemplate> {
  const template = await templatesOf(services, projectId).get(id);
  if (template === null) throw new Problem("MAIL_TEMPLATE_NOT_FOUND");
  return template.value;
}

/** Returns the project's own template of a kind, in the best language; null if it has none. */
export type TemplateChoice = (kind: MailKind) => MailTemplate | null;

/** Reads the project's own templates of some kinds, each in the best available language. */
export async function chooseTemplates(
  services: TemplateServices,
  projectId: Id,
  { kinds, wanted }: {
    readonly kinds: readonly MailKind[];
    /** Languages in order of preference. */
    readonly wanted: readonly string[];
  },
): Promise<TemplateChoice> {
  const own = new Map<MailKind, MailTemplate>();
  for (const kind of kinds) {
    const template = await findTemplate(services, projectId, kind, wanted);
    if (template !== null) own.set(kind, template);
  }
  return (kind) => own.get(kind) ?? null;
}
