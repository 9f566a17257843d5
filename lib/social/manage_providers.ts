import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import {
  findProvider,
  type Linking,
  type ProviderSettings,
  type ProviderStore,
  saveProvider,
} from "../projects/providers.ts";
import type { Id } from "../store/port.ts";
import { callbackUrl } from "./callback_url.ts";
import { PROVIDER_NAMES } from "./providers.ts";

export interface ManageServices extends ProviderStore {
  readonly config: { readonly publicUrl: string };
}

export interface ProviderDetails {
  readonly provider: string;
  readonly enabled: boolean;
  /** The client id; null until it is set. */
  readonly clientId: string | null;
  readonly hasClientSecret: boolean;
  readonly linking: Linking;
  readonly callbackUrl: string;
}

export async function listProviders(
  services: ManageServices,
  projectId: Id,
): Promise<ProviderDetails[]> {
  const providers: ProviderDetails[] = [];
  for (const name of PROVIDER_NAMES) {
    providers.push(
      toProviderDetails(services, name, await findProvider(services, projectId, name)),
    );
  }
  return providers;
}

/** Settings of a provider to change. Omitted and empty values stay unchanged. */
export interface ProviderInput {
  readonly enabled: boolean;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly linking?: Linking | undefined;
}

/** Throws `INVALID_INPUT`, and `PROVIDER_INCOMPLETE` with the names of missing values. */
export async function setProvider(
  services: ManageServices & { clock: Clock; newId: NewId },
  projectId: Id,
  provider: string,
  given: ProviderInput,
): Promise<ProviderDetails> {
  const { enabled, clientSecret = "", linking = null } = given;
  const stored = await findProvider(services, projectId, provider);
  const clientId = given.clientId || (stored?.clientId ?? "");
  const missing = [
    ...(clientId === "" ? ["clientId"] : []),
    ...(clientSecret === "" && !stored?.clientSecret ? ["clientSecret"] : []),
  ];
  if (enabled && missing.length > 0) {
    throw new Problem("PROVIDER_INCOMPLETE", {
      message: `To be enabled the provider needs ${missing.join(" and ")}.`,
    });
  }
  const input = { enabled, clientId, clientSecret, linking };
  const saved = await saveProvider(services, projectId, provider, input);
  return toProviderDetails(services, provider, saved);
}

const toProviderDetails = (
  { config }: Pick<ManageServices, "config">,
  provider: string,
  settings: ProviderSettings | null,
): ProviderDetails => ({
  provider,
  enabled: settings?.enabled ?? false,
  clientId: settings?.clientId || null,
  hasClientSecret: settings !== null && settings.clientSecret !== null,
  linking: settings?.linking ?? "verified",
  callbackUrl: callbackUrl(config.publicUrl, provider),
});
