import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { projectId, provider, signInProvider } from "../parameters.ts";
import {
  PROVIDER_EXAMPLE,
  PROVIDER_INPUT_EXAMPLE,
  PROVIDER_TRIAL_EXAMPLE,
  ProviderInput,
  ProviderList,
  ProviderSettings,
  ProviderTrial,
} from "../schemas/provider.ts";
import { projectMember } from "../security.ts";

const TAG = "Project sign-in";

export const listProviders = contract({
  operationId: "listProviders",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/providers",
  summary: "List a project's sign-in providers for its members",
  description: "Every provider that Corbel knows, with what the project has set for it.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Providers listed", "The providers.", {
    data: ProviderList,
    example: { items: [PROVIDER_EXAMPLE] },
  }),
  problems: [],
});

export const setProvider = contract({
  operationId: "setProvider",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/providers/{provider}",
  summary: "Configure a sign-in provider for the project's admins",
  description:
    "Keeps what is left out, and a secret that is empty; `linking` begins as `verified`. " +
    "To be enabled a provider needs a client id and a client " +
    "secret; register `callbackUrl` with it.",
  security: projectMember("admin"),
  params: { projectId, provider },
  body: {
    schema: ProviderInput,
    example: PROVIDER_INPUT_EXAMPLE,
    description: "What the provider's OAuth application is called there, and its secret.",
  },
  success: answered("Provider saved", "The settings as they are now. The secret is never shown.", {
    data: ProviderSettings,
    example: PROVIDER_EXAMPLE,
  }),
  problems: ["INVALID_INPUT", "PROVIDER_INCOMPLETE"],
});

export const tryProvider = contract({
  operationId: "tryProvider",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/providers/{provider}/trial",
  summary: "Find where a sign-in provider is tried for the project's admins",
  description: "Makes sure that the provider is switched on and that there is a Site URL to come " +
    "back to. Then open `url` in a browser in which an admin is signed in to the dashboard: it " +
    "goes through the whole sign-in with the provider, shows who signed in, or why it failed, and " +
    "leaves no session.",
  security: projectMember("admin"),
  params: { projectId, provider: signInProvider },
  success: answered("Ready to be tried", "Where to go.", {
    data: ProviderTrial,
    example: PROVIDER_TRIAL_EXAMPLE,
  }),
  problems: ["PROVIDER_NOT_CONFIGURED", "SITE_URL_MISSING"],
});

/** In the order of the reference. */
export const PROJECT_PROVIDERS = { listProviders, setProvider, tryProvider };
