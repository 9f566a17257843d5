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
import { refuse } from "./reader.ts";
import { openSecrets } from "./sealed_secrets.ts";

export interface ImportOptions {
  readonly readConfiguration: ReadConfiguration;
  /** What it is called; as in the archive if null. */
  readonly name: string | null;
  readonly ownerId: Id | null;
  /** Whether it gets an id of its own, beside the project that the archive is of. */
  readonly isCopy: boolean;
  /** Whether records that cannot be stored are left out, and told. */
  readonly goesOn: boolean;
  /** What opens the archive's secrets; null for none of them. */
  readonly passphrase: string | null;
  readonly progress: Progress;
}

/** What was imported. */
export interface ImportReport extends ImportedData {
  readonly projectId: Id;
  readonly name: string;
  /** Null where those of the project that the archive is of hold here as well. */
  readonly publishableKey: string | null;
  readonly secretKey: string | null;
  /** What the archive says of the moment that it is of. */
  readonly read: CheckedArchive["end"]["read"];
  /** Files that were gone before their turn in the export had come. */
  readonly missingFiles: readonly string[];
  /** What is still to be done by somebody. */
  readonly todo: readonly string[];
}

/**
 * Makes a project of an archive. All of the archive is looked at first, and nothing is written where
 * it cannot be imported. An import that is cut off is gone on with by the next one of the same archive.
 * Nobody but operators sees the project before it is whole, and every hash was compared.
 *
 * Throws `INVALID_INPUT` for an archive that cannot be imported, and as the verbs do that make the
 * parts of a project: then nothing of it is left.
 */
export async function importProject(
  services: Services,
  open: OpenArchive,
  options: ImportOptions,
): Promise<ImportReport> {
  const { ownerId, goesOn, isCopy } = options;
  const archive = await checkArchive(open, options);
  if (archive.faults.count > 0 && !goesOn) throw unfit(archive);
  const secrets = await secretsOf(archive, options);
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
    // What was refused is refused again; anything else may have passed by the next time.
    if (error instanceof Problem) await state.remove(services);
    else await state.leave().catch(() => {});
    throw error;
  }
}

/** What is beyond a plan stays and works, as with one that was made smaller. */
const withoutLimits = (services: Services): Services => ({
  ...services,
  plans: { ...services.plans, of: () => Promise.resolve(UNLIMITED) },
});

function unfit({ faults: { count, named } }: CheckedArchive): Problem {
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  return refuse(
    `Nothing was imported. ${count} record${count === 1 ? " does" : "s do"} not fit: ` +
      `${named.join("; ")}${more}. With --continue they are left out.`,
  );
}

async function secretsOf(
  { sealedSecrets }: CheckedArchive,
  { passphrase }: Pick<ImportOptions, "passphrase">,
): Promise<Secrets | null> {
  if (passphrase === null) return null;
  if (sealedSecrets === null) throw refuse("The archive has no secrets: leave the passphrase out.");
  return await openSecrets(sealedSecrets, passphrase);
}

/** Webhooks and providers are set last: they would begin to act before the project is whole. */
const withoutSecretParts = ({ configuration }: CheckedArchive) => {
  const { webhooks: _webhooks, providers: _providers, ...rest } = configuration;
  return rest;
};

/** Resolves to what its owner has to do, since it cannot be done without secrets. */
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
    if (!isUsable) todo.push(`Sign-in with ${provider} is off: give its client secret.`);
  }
  const { items } = await listWebhooks(services, projectId, { limit: LIST_LIMIT_MAX });
  const there = new Set(items.map(({ name }) => name));
  for (const webhook of configuration.webhooks) {
    if (there.has(webhook.name)) continue;
    const secret = secrets?.webhooks[webhook.name];
    const isKnown = secret !== undefined;
    const enabled = isKnown && webhook.enabled;
    await createWebhook(services, projectId, { ...webhook, enabled, secret });
    if (!isKnown) {
      todo.push(
        `The webhook ${webhook.name} is off and has a new secret: rotate it, tell its receiver, ` +
          "and switch it on.",
      );
    }
  }
  return todo;
}
