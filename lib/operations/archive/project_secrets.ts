import { openProjectKey, restoreProjectKey } from "../../ai/keys.ts";
import { activeSecrets } from "../../events/webhooks/signatures.ts";
import { type WebhookRecord, WEBHOOKS } from "../../events/webhooks/records.ts";
import { findMailSettings, openMailServer, setMailSettings } from "../../mail/settings.ts";
import { API_KEYS, type ApiKeyRecord, KEY_KINDS, type KeyKind } from "../../projects/api_keys.ts";
import type { ProjectRecord } from "../../projects/records.ts";
import { findProvider } from "../../projects/providers.ts";
import type { Services } from "../../services.ts";
import { PROVIDER_NAMES } from "../../social/providers.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { ALL, and, eq } from "../../store/filter.ts";
import type { Id } from "../../store/port.ts";
import type { Secrets } from "./format.ts";

type SecretServices = Pick<Services, "engine" | "keyRing" | "clock">;

/** Returns secrets in plain text, and the hashes of API keys. */
export async function readProjectSecrets(
  services: SecretServices,
  project: ProjectRecord,
): Promise<Secrets> {
  const { _id: projectId } = project;
  const { engine, clock } = services;
  const providers: Record<string, string> = {};
  for (const name of PROVIDER_NAMES) {
    const secret = (await findProvider(services, projectId, name))?.clientSecret;
    if (secret) providers[name] = secret.reveal();
  }
  const webhooks: Record<string, string> = {};
  const webhookRecords = engine.records<WebhookRecord>(projectId, WEBHOOKS).find({ filter: ALL });
  for await (const webhook of webhookRecords) {
    const [secret] = await activeSecrets(services, projectId, { webhook, now: clock.now() });
    webhooks[webhook.name] = secret!;
  }
  const keys = await Array.fromAsync(
    engine.records<ApiKeyRecord>("control", API_KEYS).find({ filter: eq("projectId", projectId) }),
  );
  const hashOf = (kind: KeyKind) => keys.find((key) => key.kind === kind)!.hash;
  return {
    providers,
    webhooks,
    mail: await readMailServer(services, projectId),
    aiKey: await openProjectKey(services, project),
    apiKeys: { publishable: hashOf("publishable"), secret: hashOf("secret") },
  };
}

async function readMailServer(services: SecretServices, projectId: Id): Promise<Secrets["mail"]> {
  const settings = await findMailSettings(services, projectId);
  const server = settings && await openMailServer(services, projectId, settings);
  if (!server) return null;
  const { replyTo, language: mailLanguage } = settings!;
  return { url: server.url.reveal(), from: server.from, replyTo, mailLanguage };
}

/** Returns false, and does not store the API keys, if another project here has them already. */
export async function applySecrets(
  services: Services,
  projectId: Id,
  { mail, aiKey, apiKeys }: Secrets,
): Promise<boolean> {
  if (mail !== null) await setMailSettings(services, projectId, mail);
  if (aiKey !== null) await restoreProjectKey(services, projectId, aiKey);
  try {
    await services.engine.transaction("control", async (tx) => {
      const keys = tx.records<ApiKeyRecord>(API_KEYS);
      for (const kind of KEY_KINDS) {
        const isKey = and(eq("projectId", projectId), eq("kind", kind));
        // The archive has only the hashes of keys.
        await keys.updateOne(isKey, { set: { hash: apiKeys[kind] }, unset: ["text", "start"] });
      }
    });
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  } finally {
    services.keys.forget(projectId);
  }
}
