import { z } from "zod";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { TEMPLATE_NAME } from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import {
  CONFIGURATION_FORMAT,
  type ProjectConfiguration,
  pullConfiguration,
} from "@/lib/operations/project_configuration.ts";
import { pushConfiguration } from "@/lib/operations/push_configuration.ts";
import { Problem } from "@/lib/problems.ts";
import { LINKINGS } from "@/lib/projects/providers.ts";
import { PROVIDER_NAMES } from "@/lib/social/providers.ts";
import type { Services } from "@/lib/services.ts";
import { onlyMembers, parseInput } from "@/openapi/inputs.ts";
import { MailTemplateInput } from "@/openapi/schemas/mail.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { UserFieldsInput } from "@/openapi/schemas/user.ts";
import { WebhookInput } from "@/openapi/schemas/webhook.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { jsonFile, projectId } from "./inputs.ts";
import { writing } from "./outputs.ts";

/** A project's configuration as a file, for what is kept beside an application's code. */
export const CONFIGURATION_COMMANDS: readonly (readonly [string, Command])[] = [
  ["project pull", {
    summary: "Print what is set of a project, or write it to a file",
    usage: "--project ID [--to FILE]",
    options: { values: ["project", "to"] },
    run: pull,
  }],
  ["project push", {
    summary: "Set a project up as a file says",
    usage: "--project ID --from FILE|- [--dry-run] [--allow-loss]",
    options: { values: ["project", "from"], flags: ["dry-run", "allow-loss"] },
    async run(services, args) {
      const id = await projectId(services, args);
      const given = configurationOf(await jsonFile(args, "from"));
      const dryRun = args.flag("dry-run");
      const allowLoss = args.flag("allow-loss");
      const changes = await pushConfiguration(services, id, given, { dryRun, allowLoss });
      return { dryRun, changes };
    },
  }],
];

async function pull(services: Services, args: Arguments) {
  const configuration = await pullConfiguration(services, await projectId(services, args));
  const whole = { format: CONFIGURATION_FORMAT, ...configuration };
  const path = args.optional("to");
  if (path === null) return whole;
  await writing(args.located(path), (file) => {
    const text = `${JSON.stringify(whole, null, 2)}\n`;
    return ReadableStream.from([text]).pipeThrough(new TextEncoderStream()).pipeTo(file);
  });
  return { to: path };
}

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
  error: onlyMembers(
    "A configuration",
    ["format", ...Object.keys(PARTS)],
    "A configuration is one JSON object.",
  ),
});

/** Each part as the operation reads it that sets it alone. Throws as these do, naming the part. */
export function configurationOf(input: unknown): ProjectConfiguration {
  const given = parseInput(Configuration, input, { problem: "INVALID_INPUT" });
  const { settings, userFields, collections, mailTemplates, webhooks, providers } = given;
  return {
    ...(settings && {
      settings: within("settings", () => parseInput(ProjectChanges, withoutName(settings))),
    }),
    ...(userFields && {
      userFields: within("userFields", () => parseInput(UserFieldsInput, { fields: userFields }))
        .fields,
    }),
    ...(collections && { collections: each("collections", collections, parseDefinition) }),
    ...(mailTemplates && { mailTemplates: each("mailTemplates", mailTemplates, templateOf) }),
    ...(webhooks && {
      webhooks: each("webhooks", webhooks, (one) => parseInput(WebhookInput, one)),
    }),
    ...(providers && {
      providers: each("providers", providers, (one) => parseInput(Provider, one)),
    }),
  };
}

/** What a project is called is its deployment's. */
function withoutName(settings: Readonly<Record<string, unknown>>) {
  if (!("name" in settings)) return settings;
  throw new Problem("INVALID_INPUT", {
    message: "A project's name is no part of it: leave it out.",
  });
}

const Place = z.object({
  name: z.string().regex(TEMPLATE_NAME, '"name" must be a template\'s.'),
  language: z.string('"language" must be text.'),
});

function templateOf({ name, language, ...content }: Readonly<Record<string, unknown>>) {
  const place = parseInput(Place, { name, language });
  const canonical = canonicalLanguage(place.language);
  if (canonical === null) {
    throw new Problem("INVALID_INPUT", { message: '"language" names no language.' });
  }
  return { name: place.name, language: canonical, ...parseInput(MailTemplateInput, content) };
}

const Provider = z.strictObject({
  provider: z.enum(PROVIDER_NAMES as [string, ...string[]]),
  enabled: z.boolean('"enabled" must be true or false.'),
  clientId: z.string('"clientId" must be text.').optional(),
  linking: z.enum(LINKINGS).optional(),
});

function each<T, R>(part: string, all: readonly T[], read: (one: T) => R): R[] {
  return all.map((one, i) => within(`${part}.${i}`, () => read(one)));
}

/** Says which part of the file it is that does not fit. */
function within<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, faults } = error;
    throw new Problem(code, { message: `${part}: ${message}`, faults });
  }
}
