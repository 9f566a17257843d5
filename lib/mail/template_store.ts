import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { MAIL_TEMPLATES_MAX } from "../limits.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem, PROBLEMS } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";
import { shown } from "../text/input_text.ts";
import { bestLanguage } from "../text/languages.ts";
import { didYouMean } from "../text/nearest.ts";
import { textOfHtml } from "./html_text.ts";
import type { MailKind } from "./mails.ts";
import { addTemplate, ensureMailSettings } from "./settings.ts";
import type { MailTemplate } from "./templates.ts";

/** A project's own template of a name in a language. */
export type MailTemplateRecord = StoredRecord & MailTemplate & {
  /** A kind of mails that Corbel sends, or a name of the project's own. */
  name: string;
  /** As `Intl.getCanonicalLocales` spells it. */
  language: string;
  createdAt: string;
  updatedAt: string;
};

/** In each project's space; the id follows from name and language. */
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

/** One name and language, which the template of a project has. */
export interface TemplatePlace {
  readonly name: string;
  readonly language: string;
}

interface TemplateServices {
  readonly engine: Engine;
}

const idOf = ({ name, language }: TemplatePlace): Id =>
  hashedId(`mail template ${name} ${language}`);

const templatesOf = ({ engine }: TemplateServices, projectId: Id) =>
  engine.records<MailTemplateRecord>(projectId, MAIL_TEMPLATES);

/** A page of the project's own templates, the newest first. Throws `INVALID_CURSOR`. */
export async function listTemplates(
  services: TemplateServices & { readonly cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<ShownTemplate>> {
  const list = { space: projectId, definition: MAIL_TEMPLATES };
  const { items, nextCursor } = await readPage<MailTemplateRecord>(services, list, request);
  return { items: items.map(shownTemplate), nextCursor };
}

/** A template as it is sent: one of both texts at least. */
export interface TemplateInput {
  readonly subject: string;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}

/** A mail has a text in any case: where none is given, it is made of the HTML. */
export const templateOf = ({ subject, text, html = "" }: TemplateInput): MailTemplate => ({
  subject,
  text: text ?? textOfHtml(html),
  html: html === "" ? null : html,
});

/** Puts a template in the place of what the project has there. Throws `MAIL_TEMPLATE_LIMIT_REACHED`. */
export async function setTemplate(
  services: TemplateServices & { readonly clock: Clock },
  projectId: Id,
  { name, language, ...input }: TemplatePlace & TemplateInput,
): Promise<ShownTemplate> {
  const _id = idOf({ name, language });
  const now = timestamp(services.clock);
  const values = { name, language, ...templateOf(input), updatedAt: now };
  await ensureMailSettings(services, projectId);
  const write = () =>
    services.engine.transaction(projectId, async (tx) => {
      const templates = tx.records<MailTemplateRecord>(MAIL_TEMPLATES);
      const changed = await templates.updateOne(eq("_id", _id), { set: values });
      if (changed !== null) return shownTemplate(changed.value);
      await addTemplate(tx);
      if (await templates.count(ALL) >= MAIL_TEMPLATES_MAX) {
        throw new Problem("MAIL_TEMPLATE_LIMIT_REACHED");
      }
      return shownTemplate((await templates.insert({ _id, ...values, createdAt: now })).value);
    });
  try {
    return await write();
  } catch (error) {
    // Another request has made it in this very moment.
    if (!(error instanceof UniqueViolation)) throw error;
    return await write();
  }
}

/** Throws `MAIL_TEMPLATE_NOT_FOUND`. */
export async function deleteTemplate(
  services: TemplateServices,
  projectId: Id,
  place: TemplatePlace,
): Promise<void> {
  const deleted = await templatesOf(services, projectId).deleteOne(eq("_id", idOf(place)));
  if (deleted === null) throw await templateNotFound(services, projectId, place.name);
}

/** Says what the project has in the place of a template that is missing. */
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
    ? ` Of ${shown(name)} it has ${languages.join(", ")}.`
    : didYouMean(name, groups.map(({ keys }) => String(keys[0])));
  const { message } = PROBLEMS.MAIL_TEMPLATE_NOT_FOUND;
  return new Problem("MAIL_TEMPLATE_NOT_FOUND", { message: message + hint });
}

export interface ShownTemplate extends TemplatePlace, MailTemplate {
  readonly id: Id;
  readonly updatedAt: string;
}

const shownTemplate = (
  { _id, name, language, subject, text, html, updatedAt }: MailTemplateRecord,
): ShownTemplate => ({ id: _id, name, language, subject, text, html, updatedAt });

/** Of a name in a language, or else in the one that the project's readers understand best. */
export async function findTemplate(
  services: TemplateServices,
  projectId: Id,
  name: string,
  wanted: readonly string[],
): Promise<MailTemplate | null> {
  const templates = templatesOf(services, projectId);
  // Without their texts: a project may have one in many languages.
  const { groups } = await templates.aggregate({
    filter: eq("name", name),
    keys: [{ path: "language" }],
    figures: [],
    sort: [],
    limit: MAIL_TEMPLATES_MAX,
  });
  const language = bestLanguage(groups.map(({ keys }) => String(keys[0])), wanted);
  if (language === null) return null;
  return (await templates.get(idOf({ name, language })))?.value ?? null;
}

/** Throws `MAIL_TEMPLATE_NOT_FOUND`. */
export async function templateById(
  services: TemplateServices,
  projectId: Id,
  id: Id,
): Promise<MailTemplate> {
  const template = await templatesOf(services, projectId).get(id);
  if (template === null) throw new Problem("MAIL_TEMPLATE_NOT_FOUND");
  return template.value;
}

/**
 * A project's own templates of some kinds, in the language that a reader understands best; null for
 * a kind that it has none of.
 */
export type TemplateChoice = (kind: MailKind) => MailTemplate | null;

export async function chooseTemplates(
  services: TemplateServices,
  projectId: Id,
  { kinds, wanted }: {
    readonly kinds: readonly MailKind[];
    /** The best first. */
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
