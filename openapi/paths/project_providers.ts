import { okAnswer } from "../answers.ts";
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
  description: "All supported providers, with the project's settings.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Providers listed", "The providers.", {
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
  description: "Members that are left out, and an empty secret, stay unchanged; `linking` is " +
    "`verified` by default. An enabled provider needs a client id and a client secret; register " +
    "`callbackUrl` with it.",
  security: projectMember("admin"),
  params: { projectId, provider },
  body: {
    schema: ProviderInput,
    example: PROVIDER_INPUT_EXAMPLE,
    description: "The client id and the secret of the provider's OAuth application.",
  },
  success: okAnswer("Provider saved", "The changed settings. The secret is never shown.", {
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
  summary: "Get the address to try a sign-in provider for the project's admins",
  description: "Checks that the provider is enabled and that the project has a Site URL. Then " +
    "open `url` in a browser in which an admin is signed in to the dashboard: it goes through " +
    "the complete sign-in with the provider, shows the user or the reason for the failure, and " +
    "opens no session.",
  security: projectMember("admin"),
  params: { projectId, provider: signInProvider },
  success: okAnswer("Ready to be tried", "The address to open.", {
    data: ProviderTrial,
    example: PROVIDER_TRIAL_EXAMPLE,
  }),
  problems: ["PROVIDER_NOT_CONFIGURED", "SITE_URL_MISSING"],
});

export const PROJECT_PROVIDERS = { listProviders, setProvider, tryProvider };
