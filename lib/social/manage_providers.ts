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

/** A provider as a project's members see it: its secret is shown to nobody. */
export interface ShownProvider {
  readonly provider: string;
  readonly enabled: boolean;
  /** Null until one is given. */
  readonly clientId: string | null;
  readonly hasClientSecret: boolean;
  readonly linking: Linking;
  readonly callbackUrl: string;
}

/** Every provider there is, with what the project has set for it. */
export async function listProviders(
  services: ManageServices,
  projectId: Id,
): Promise<ShownProvider[]> {
  const shown: ShownProvider[] = [];
  for (const name of PROVIDER_NAMES) {
    shown.push(showProvider(services, name, await findProvider(services, projectId, name)));
  }
  return shown;
}

/** What a project sets; what is left out or empty stays as it is. */
export interface ProviderInput {
  readonly enabled: boolean;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly linking?: Linking | undefined;
}

/**
 * Sets what the project has with a provider. Throws `INVALID_INPUT`, and `PROVIDER_INCOMPLETE` that
 * names what an enabled provider lacks.
 */
export async function setProvider(
  services: ManageServices & { clock: Clock; newId: NewId },
  projectId: Id,
  provider: string,
  given: ProviderInput,
): Promise<ShownProvider> {
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
  return showProvider(services, provider, saved);
}

const showProvider = (
  { config }: Pick<ManageServices, "config">,
  provider: string,
  settings: ProviderSettings | null,
): ShownProvider => ({
  provider,
  enabled: settings?.enabled ?? false,
  clientId: settings?.clientId || null,
  hasClientSecret: settings !== null && settings.clientSecret !== null,
  linking: settings?.linking ?? "verified",
  callbackUrl: callbackUrl(config.publicUrl, provider),
});
