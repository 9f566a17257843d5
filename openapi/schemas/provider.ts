import { z } from "@hono/zod-openapi";
import { LINKINGS } from "@/lib/projects/providers.ts";
import { PROVIDER_NAMES } from "@/lib/social/providers.ts";
import { bodyWithMessage } from "../inputs.ts";

const LINKING =
  "Whether an e-mail that the provider has verified signs in the user who has it. The addresses " +
  "must be identical except for the case of A to Z. A similar one creates a new user without an " +
  "e-mail.";

export const PROVIDER_EXAMPLE = {
  provider: PROVIDER_NAMES[0]!,
  enabled: true,
  clientId: "Iv1.8a61f9b3a7aba766",
  hasClientSecret: true,
  linking: "verified" as const,
  callbackUrl: `http://localhost:8000/api/userAuth/social/${PROVIDER_NAMES[0]}/callback`,
};

export const ProviderSettings = z.strictObject({
  provider: z.enum(PROVIDER_NAMES as [string, ...string[]]),
  enabled: z.boolean(),
  clientId: z.string().nullable(),
  hasClientSecret: z.boolean(),
  linking: z.enum(LINKINGS).openapi({ description: LINKING }),
  callbackUrl: z.string().openapi({
    description: "Address to register in the provider's application.",
  }),
}).openapi("ProviderSettings", {
  description: "A project's credentials at a sign-in provider. The secret is never shown.",
  example: PROVIDER_EXAMPLE,
});

export const ProviderList = z.strictObject({ items: z.array(ProviderSettings) })
  .openapi("ProviderList", { example: { items: [PROVIDER_EXAMPLE] } });

export const PROVIDER_INPUT_EXAMPLE = {
  enabled: true,
  clientId: "Iv1.8a61f9b3a7aba766",
  clientSecret: "0f8fad5bd9cb469fa16570867728950e",
};

const INPUT = 'Send { "enabled", "clientId", "clientSecret", "linking" }: enabled is true or ' +
  "false, the others are texts and may be left out, linking is verified or never.";

export const ProviderInput = bodyWithMessage(INPUT, (error) => ({
  enabled: z.boolean({ error }),
  clientId: z.string({ error }).optional(),
  clientSecret: z.string({ error }).optional().openapi({
    description: "An empty text means left out.",
  }),
  linking: z.enum(LINKINGS, { error }).optional().openapi({ description: LINKING }),
})).openapi("ProviderInput", { example: PROVIDER_INPUT_EXAMPLE });

export const PROVIDER_TRIAL_EXAMPLE = {
  url: "http://localhost:8000/dashboard/projects/66f1a0c2e4b0a1b2c3d4e5f6/sign-in/providers/" +
    `${PROVIDER_NAMES[0]}/try`,
  callbackUrl: PROVIDER_EXAMPLE.callbackUrl,
};

export const ProviderTrial = z.strictObject({
  url: z.string().openapi({
    description: "Address to open in a browser, as an admin of the project.",
  }),
  callbackUrl: z.string().openapi({
    description: "Address that the provider's application must have registered.",
  }),
}).openapi("ProviderTrial", { example: PROVIDER_TRIAL_EXAMPLE });
