import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import {
  createCollection,
  listCollections,
  updateCollection,
} from "@/lib/documents/save_collection.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { fileSettingsOf } from "@/lib/projects/file_settings.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { type Linking, saveProvider } from "@/lib/projects/providers.ts";
import { eachProject, rotateKey } from "@/lib/projects/projects.ts";
import { reseal } from "@/lib/operations/reseal.ts";
import { listTrashed, restoreProject } from "@/lib/operations/project_trash.ts";
import type { Services } from "@/lib/services.ts";
import { callbackUrl } from "@/lib/social/start_sign_in.ts";
import { ACCOUNT_COMMANDS } from "./account_commands.ts";
import { ARCHIVE_COMMANDS } from "./archive_commands.ts";
import type { Arguments } from "./arguments.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { knownProvider } from "@/lib/social/providers.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { UserFieldsInput } from "@/openapi/schemas/user.ts";
import type { Command } from "./command.ts";
import { CONFIGURATION_COMMANDS } from "./configuration_commands.ts";
import { DOCUMENT_COMMANDS } from "./document_commands.ts";
import { TYPE_COMMANDS } from "./type_commands.ts";
import { idOf, jsonFile, ownerId, projectId } from "./inputs.ts";
import { secretLine } from "./secret_line.ts";
import { STORAGE_COMMANDS } from "./storage_commands.ts";

const TOKEN_SECONDS_MAX = 365 * 86_400;

/** Every administrative command by its name. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["project create", {
    usage: "--name NAME [--site-url URL] [--owner EMAIL]",
    options: { values: ["name", "site-url", "owner"] },
    async run(services, args) {
      const { projectId, publishableKey, secretKey } = await createProject(services, {
        name: args.required("name"),
        siteUrl: args.optional("site-url"),
        ownerId: await ownerId(services, args),
        isOperators: true,
      });
      return { projectId, publishableKey, secretKey };
    },
  }],
  ["project list", {
    usage: "[--deleted]",
    options: { values: [], flags: ["deleted"] },
    run: async (services, args) => ({
      projects: args.flag("deleted")
        ? await listTrashed(services)
        : (await Array.fromAsync(eachProject(services)))
          .map(({ _id, name }) => ({ projectId: _id, name })),
    }),
  }],
  ["project restore", {
    usage: "--project ID",
    options: { values: ["project"] },
    async run(services, args) {
      const projectId = idOf(args);
      await restoreProject(services, projectId);
      return { projectId };
    },
  }],
  ["project set", {
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    async run(services, args) {
      const id = await projectId(services, args);
      const changes = parseInput(ProjectChanges, await jsonFile(args));
      const project = await changeProject(services, id, changes);
      const { name, siteUrl, allowedOrigins } = project;
      const [auth, files] = [authSettingsOf(project), fileSettingsOf(project)];
      return { projectId: id, name, siteUrl, allowedOrigins, auth, files };
    },
  }],
  ["key rotate", {
    usage: "--project ID --kind publishable|secret",
    options: { values: ["project", "kind"] },
    run: async (services, args) => ({
      key: await rotateKey(services, await projectId(services, args), keyKind(args)),
    }),
  }],
  ["collection create", {
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    run: async (services, args) =>
      createCollection(
        services,
        await projectId(services, args),
        parseDefinition(await jsonFile(args)),
      ),
  }],
  ["collection update", {
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    run: async (services, args) =>
      updateCollection(
        services,
        await projectId(services, args),
        parseDefinition(await jsonFile(args)),
      ),
  }],
  ["collection list", {
    usage: "--project ID",
    options: { values: ["project"] },
    run: async (services, args) => ({
      collections: await listCollections(services, await projectId(services, args)),
    }),
  }],
  ["user fields", {
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    async run(services, args) {
      const id = await projectId(services, args);
      const { fields } = parseInput(UserFieldsInput, await jsonFile(args));
      return { fields: await saveUserFields(services, id, fields) };
    },
  }],
  ["user create", {
    usage: "--project ID --email EMAIL [--verified]",
    options: { values: ["project", "email"], flags: ["verified"] },
    run: async (services, args) => ({
      userId: await createUser(services, await projectId(services, args), {
        email: args.required("email"),
        verified: args.flag("verified"),
      }),
    }),
  }],
  ["token issue", {
    usage: "--project ID --user USERID [--ttl SECONDS]",
    options: { values: ["project", "user", "ttl"] },
    run: async (services, args) => ({
      accessToken: await issueToken(services, await projectId(services, args), {
        userId: args.required("user"),
        seconds: lifetime(args),
      }),
    }),
  }],
  ["provider set", {
    usage: "--project ID --provider NAME --client-id X [--linking never|verified] [--disabled]",
    options: { values: ["project", "provider", "client-id", "linking"], flags: ["disabled"] },
    run: setProvider,
  }],
  ...DOCUMENT_COMMANDS,
  ...CONFIGURATION_COMMANDS,
  ...ARCHIVE_COMMANDS,
  ...TYPE_COMMANDS,
  ...STORAGE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ["secrets reseal", {
    usage: "",
    options: { values: [] },
    async run(services) {
      const { resealed, ok, unopened } = await reseal(services);
      return ok ? { resealed } : { ok, resealed, unopened };
    },
  }],
]);

/** The client secret comes by standard input: arguments are seen by every process of the machine. */
async function setProvider(services: Services, args: Arguments) {
  const project = await projectId(services, args);
  const provider = knownProvider(args.required("provider"));
  const input = {
    enabled: !args.flag("disabled"),
    clientId: args.required("client-id"),
    linking: linkingPolicy(args),
    clientSecret: await secretLine("Client secret (empty keeps the stored one): "),
  };
  const { enabled, clientId, clientSecret, linking } = await saveProvider(
    services,
    project,
    provider,
    input,
  );
  return {
    provider,
    enabled,
    clientId,
    hasClientSecret: clientSecret !== null,
    linking,
    callbackUrl: callbackUrl(services.config.publicUrl, provider),
  };
}

const refuse = (message: string) => new Problem("INVALID_INPUT", { message });

function keyKind(args: Arguments): KeyKind {
  const kind = args.required("kind");
  if (kind !== "publishable" && kind !== "secret") {
    throw refuse("--kind must be publishable or secret.");
  }
  return kind;
}

function linkingPolicy(args: Arguments): Linking | null {
  const linking = args.optional("linking");
  if (linking === null || linking === "never" || linking === "verified") return linking;
  throw refuse("--linking must be never or verified.");
}

function lifetime(args: Arguments): number {
  const text = args.optional("ttl");
  if (text === null) return ACCESS_TOKEN_SECONDS;
  const seconds = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  if (!(seconds <= TOKEN_SECONDS_MAX)) {
    throw refuse(`--ttl must be a whole number of seconds from 1 to ${TOKEN_SECONDS_MAX}.`);
  }
  return seconds;
}
