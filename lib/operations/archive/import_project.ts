import { Problem } from "../../problems.ts";
import { restoreViews } from "../../documents/views.ts";
import { createWebhook, listWebhooks } from "../../events/webhooks/manage.ts";
import { LIST_LIMIT_MAX } from "../../limits.ts";
import { UNLIMITED } from "../../projects/plans.ts";
import { rotateKey } from "../../projects/rotate_key.ts";
import type { Services } from "../../services.ts";
import { setProvider } from "../../social/manage_providers.ts";
import type { Id } from "../../store/port.ts";
import { pushConfiguration } from "../push_configuration.ts";
import {
  checkArchive,
  type CheckedArchive,
  type OpenArchive,
  type ReadConfiguration,
} from "./check_archive.ts";
import type { Secrets } from "./format.ts";
import { ImportState } from "./import_state.ts";
import { importData, type ImportedData } from "./import_data.ts";
import type { Progress } from "./progress.ts";
import { applySecrets } from "./project_secrets.ts";
import { badArchive } from "./reader.ts";
import { openSecrets } from "./sealed_secrets.ts";

export interface ImportOptions {
  readonly readConfiguration: ReadConfiguration;
  /** Null for the name in the archive. */
  readonly name: string | null;
  readonly ownerId: Id | null;
  /** Whether the project gets a new id instead of the one in the archive. */
  readonly isCopy: boolean;
  /** Whether invalid records are skipped and reported. Otherwise they refuse the import. */
  readonly skipInvalid: boolean;
  /** Null to import no secrets. */
  readonly passphrase: string | null;
  readonly progress: Progress;
}

export interface ImportReport extends ImportedData {
  readonly projectId: Id;
  readonly name: string;
  /** Null if the keys in the archive are valid here. */
  readonly publishableKey: string | null;
  readonly secretKey: string | null;
  readonly read: CheckedArchive["end"]["read"];
  /** Names of files that were removed before the export could read them. */
  readonly missingFiles: readonly string[];
  /** Steps that the owner has to take. */
  readonly todo: readonly string[];
}

/**
 * Creates a project from an archive, which is checked before anything is written. The next import
 * continues an interrupted one. Only operators see the project until every hash was compared.
 * Throws `INVALID_INPUT` and the problems of the project's parts, after it removed the project.
 */
export async function importProject(
  services: Services,
  open: OpenArchive,
  options: ImportOptions,
): Promise<ImportReport> {
  const { ownerId, skipInvalid, isCopy } = options;
  const archive = await checkArchive(open, options);
  if (archive.faults.count > 0 && !skipInvalid) throw invalidRecords(archive);
  const secrets = await openArchiveSecrets(archive, options);
  const name = options.name ?? archive.manifest.project.name;
  await using state = await ImportState.begin(services, archive, { name, isCopy });
  const { projectId } = state;
  try {
    const unlimited = withoutLimits(services);
    await pushConfiguration(unlimited, projectId, withoutSecretParts(archive));
    const data = await importData(services, open, { ...options, archive, state });
    for (const [name, views] of Object.entries(archive.views)) {
      await restoreViews(services, projectId, name, views);
    }
    const todo = await finishConfiguration(unlimited, projectId, { archive, secrets });
    const areKeysKept = secrets !== null && await applySecrets(services, projectId, secrets);
    const keyOf = async (kind: "publishable" | "secret") =>
      areKeysKept ? null : (await rotateKey(services, projectId, { kind })).key;
    const [publishableKey, secretKey] = [await keyOf("publishable"), await keyOf("secret")];
    await state.finish(services.newId, ownerId);
    services.plans.forgetProject(projectId);
    const { end: { read, missingFiles } } = archive;
    return { projectId, name, publishableKey, secretKey, ...data, read, missingFiles, todo };
  } catch (error) {
    // A problem would occur again; after any other error the next import can continue.
    if (error instanceof Problem) await state.remove(services);
    else await state.release().catch(() => {});
    throw error;
  }
}

/** Data beyond a plan stay usable, as after a downgrade. */
const withoutLimits = (services: Services): Services => ({
  ...services,
  plans: { ...services.plans, ofProject: () => Promise.resolve(UNLIMITED) },
});

function invalidRecords({ faults: { count, named } }: CheckedArchive): Problem {
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  return badArchive(
    `Nothing was imported. ${count} record${count === 1 ? " is" : "s are"} invalid: ` +
      `${named.join("; ")}${more}. Import with --continue to leave them out.`,
  );
}

async function openArchiveSecrets(
  { sealedSecrets }: CheckedArchive,
  { passphrase }: Pick<ImportOptions, "passphrase">,
): Promise<Secrets | null> {
  if (passphrase === null) return null;
  if (sealedSecrets === null) {
    throw badArchive("The archive has no secrets: leave the passphrase out.");
  }
  return await openSecrets(sealedSecrets, passphrase);
}

/** Webhooks and providers must not act before the project is complete. */
const withoutSecretParts = ({ configuration }: CheckedArchive) => {
  const { webhooks: _webhooks, providers: _providers, ...rest } = configuration;
  return rest;
};

/** Returns the steps that the owner has to take because secrets are missing. */
async function finishConfiguration(
  services: Services,
  projectId: Id,
  { archive: { configuration }, secrets }: {
    readonly archive: CheckedArchive;
    readonly secrets: Secrets | null;
  },
): Promise<string[]> {
  const todo: string[] = [];
  for (const { provider, ...input } of configuration.providers) {
    const clientSecret = secrets?.providers[provider];
    const isUsable = clientSecret !== undefined || !input.enabled;
    await setProvider(services, projectId, provider, {
      ...input,
      enabled: input.enabled && isUsable,
      clientSecret,
    });
    if (!isUsable) todo.push(`Sign-in with ${provider} is off: set its client secret.`);
  }
  const { items } = await listWebhooks(services, projectId, { limit: LIST_LIMIT_MAX });
  const existing = new Set(items.map(({ name }) => name));
  for (const webhook of configuration.webhooks) {
    if (existing.has(webhook.name)) continue;
    const secret = secrets?.webhooks[webhook.name];
    const isKnown = secret !== undefined;
    const enabled = isKnown && webhook.enabled;
    await createWebhook(services, projectId, { ...webhook, enabled, secret });
    if (!isKnown) {
      todo.push(
        `The webhook ${webhook.name} is off and has a new secret: rotate it, give it to the ` +
          "receiver, and switch it on.",
      );
    }
  }
  return todo;
}
