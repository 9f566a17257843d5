import { reseal } from "@/lib/operations/reseal.ts";
import { Problem } from "@/lib/problems.ts";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import { parseGraceHours, rotateKey } from "@/lib/projects/rotate_key.ts";
import { publishableKeyOf } from "@/lib/projects/list_keys.ts";
import { type Linking, saveProvider } from "@/lib/projects/providers.ts";
import type { Services } from "@/lib/services.ts";
import { checkProviderName } from "@/lib/social/providers.ts";
import { callbackUrl } from "@/lib/social/callback_url.ts";
import { ACCOUNT_COMMANDS } from "./account_commands.ts";
import { ARCHIVE_COMMANDS } from "./archive_commands.ts";
import type { Arguments } from "./arguments.ts";
import { COLLECTION_COMMANDS } from "./collection_commands.ts";
import type { Command } from "./command.ts";
import { CONFIGURATION_COMMANDS } from "./configuration_commands.ts";
import { DOCUMENT_COMMANDS } from "./document_commands.ts";
import { projectId } from "./inputs.ts";
import { PROJECT_COMMANDS } from "./project_commands.ts";
import { secretLine } from "./secret_line.ts";
import { STORAGE_COMMANDS } from "./storage_commands.ts";
import { TYPE_COMMANDS } from "./type_commands.ts";
import { USER_COMMANDS } from "./user_commands.ts";

export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...PROJECT_COMMANDS,
  ...COLLECTION_COMMANDS,
  ...USER_COMMANDS,
  ["key show", {
    summary: "Print the publishable key of a project",
    usage: "--project ID",
    options: { values: ["project"] },
    async run(services, args) {
      const publishableKey = await publishableKeyOf(services, await projectId(services, args));
      if (publishableKey !== null) return { publishableKey };
      throw invalidInput(
        "Corbel has only a hash of this key, since an earlier version created it: replace it by " +
          '"key rotate".',
      );
    },
  }],
  ["key rotate", {
    summary: "Replace a key of a project",
    usage: "--project ID --kind publishable|secret [--grace-hours N]",
    options: { values: ["project", "kind", "grace-hours"] },
    async run(services, args) {
      const kind = keyKind(args);
      const graceHours = parseGraceHours(args.optional("grace-hours") ?? "0");
      const rotated = await rotateKey(services, await projectId(services, args), {
        kind,
        graceHours,
      });
      const { key, formerValidUntil } = rotated;
      return { key, ...(formerValidUntil !== null && { formerValidUntil }) };
    },
  }],
  ["provider set", {
    summary: "Set up a sign-in provider, with its client secret from standard input",
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
    summary: "Encrypt all secrets again with the first key of SECRET_KEYS",
    usage: "",
    options: { values: [] },
    async run(services) {
      const { resealed, ok, unopened } = await reseal(services);
      return ok ? { resealed } : { ok, resealed, unopened };
    },
  }],
]);

/** Reads the client secret from standard input, because all users of a machine see arguments. */
async function setProvider(services: Services, args: Arguments) {
  const project = await projectId(services, args);
  const provider = checkProviderName(args.required("provider"));
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

const invalidInput = (message: string) => new Problem("INVALID_INPUT", { message });

function keyKind(args: Arguments): KeyKind {
  const kind = args.required("kind");
  if (kind !== "publishable" && kind !== "secret") {
    throw invalidInput("--kind must be publishable or secret.");
  }
  return kind;
}

function linkingPolicy(args: Arguments): Linking | null {
  const linking = args.optional("linking");
  if (linking === null || linking === "never" || linking === "verified") return linking;
  throw invalidInput("--linking must be never or verified.");
}
