/** Schemas of the files that commands read. Loaded on demand, because they take long to load. */

import { z } from "zod";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { TEMPLATE_NAME } from "@/lib/mail/template_store.ts";
import {
  CONFIGURATION_FORMAT,
  type ProjectConfiguration,
} from "@/lib/operations/project_configuration.ts";
import { Problem } from "@/lib/problems.ts";
import { LINKINGS } from "@/lib/projects/providers.ts";
import { PROVIDER_NAMES } from "@/lib/social/providers.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { parseInput, unexpectedMember } from "@/openapi/inputs.ts";
import { MailTemplateInput } from "@/openapi/schemas/mail.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { UserFieldsInput } from "@/openapi/schemas/user.ts";
import { WebhookInput } from "@/openapi/schemas/webhook.ts";

export const projectChangesOf = (input: unknown) => parseInput(ProjectChanges, input);
export const userFieldsOf = (input: unknown) => parseInput(UserFieldsInput, input);

const list = (name: string) =>
  z.array(z.record(z.string(), z.unknown()), { error: `"${name}" must be a list of objects.` });

const PARTS = {
  settings: z.record(z.string(), z.unknown(), { error: '"settings" must be an object.' }),
  userFields: list("userFields"),
  collections: list("collections"),
  mailTemplates: list("mailTemplates"),
  webhooks: list("webhooks"),
  providers: list("providers"),
};

const Configuration = z.strictObject({
  format: z.literal(
    CONFIGURATION_FORMAT,
    `"format" must be "${CONFIGURATION_FORMAT}": another version of Corbel wrote it.`,
  ),
  ...z.object(PARTS).partial().shape,
}, {
  error: unexpectedMember(
    "A configuration",
    ["format", ...Object.keys(PARTS)],
    "A configuration is one JSON object.",
  ),
});

/** Parses each part with its operation's schema. Throws its problem with the part's name. */
export function configurationOf(input: unknown): ProjectConfiguration {
  const given = parseInput(Configuration, input, { problem: "INVALID_INPUT" });
  const { settings, userFields, collections, mailTemplates, webhooks, providers } = given;
  return {
    ...(settings && {
      settings: readPart("settings", () => parseInput(ProjectChanges, withoutName(settings))),
    }),
    ...(userFields && {
      userFields: readPart("userFields", () => parseInput(UserFieldsInput, { fields: userFields }))
        .fields,
    }),
    ...(collections && { collections: readEach("collections", collections, parseDefinition) }),
    ...(mailTemplates && { mailTemplates: readEach("mailTemplates", mailTemplates, templateOf) }),
    ...(webhooks && {
      webhooks: readEach("webhooks", webhooks, (one) => parseInput(WebhookInput, one)),
    }),
    ...(providers && {
      providers: readEach("providers", providers, (one) => parseInput(Provider, one)),
    }),
  };
}

/** Throws `INVALID_INPUT` if settings have a name, which is not portable. */
function withoutName(settings: Readonly<Record<string, unknown>>) {
  if (!("name" in settings)) return settings;
  throw new Problem("INVALID_INPUT", {
    message: "A configuration does not contain the project's name: leave it out.",
  });
}

const TemplateKey = z.object({
  name: z.string().regex(TEMPLATE_NAME, '"name" must be the name of a template.'),
  language: z.string('"language" must be text.'),
});

function templateOf({ name, language, ...content }: Readonly<Record<string, unknown>>) {
  const place = parseInput(TemplateKey, { name, language });
  const canonical = canonicalLanguage(place.language);
  if (canonical === null) {
    throw new Problem("INVALID_INPUT", { message: '"language" must be a language tag.' });
  }
  return { name: place.name, language: canonical, ...parseInput(MailTemplateInput, content) };
}

const Provider = z.strictObject({
  provider: z.enum(PROVIDER_NAMES as [string, ...string[]]),
  enabled: z.boolean('"enabled" must be true or false.'),
  clientId: z.string('"clientId" must be text.').optional(),
  linking: z.enum(LINKINGS).optional(),
});

function readEach<T, R>(part: string, all: readonly T[], read: (one: T) => R): R[] {
  return all.map((one, i) => readPart(`${part}.${i}`, () => read(one)));
}

/** Adds the name of the part to the message of a problem. */
function readPart<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, faults } = error;
    throw new Problem(code, { message: `${part}: ${message}`, faults });
  }
}
