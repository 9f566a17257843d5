import { ok } from "@/lib/http/respond.ts";
import { callbackUrl } from "@/lib/social/callback_url.ts";
import { listProviders, setProvider } from "@/lib/social/manage_providers.ts";
import { requireReadyProvider } from "@/lib/social/start_sign_in.ts";
import type { PROJECT_PROVIDERS } from "@/openapi/paths/project_providers.ts";
import type { HandlersOf } from "../handler.ts";

export const projectProviders: HandlersOf<typeof PROJECT_PROVIDERS> = {
  listProviders: async (c) => {
    const { services, principal } = c.var;
    const items = await listProviders(services, principal.project._id);
    return ok(200, JSON.stringify({ items }), "Providers listed");
  },

  setProvider: async (c) => {
    const { services, principal } = c.var;
    const params = c.req.valid("param");
    const input = c.req.valid("json");
    const { _id } = principal.project;
    const provider = await setProvider(services, _id, params.provider, input);
    return ok(200, JSON.stringify(provider), "Provider saved");
  },

  tryProvider: async (c) => {
    const { services, principal: { project: { _id: projectId, siteUrl } } } = c.var;
    const { provider } = c.req.valid("param");
    const { publicUrl } = services.config;
    await requireReadyProvider(services, { projectId, siteUrl }, provider);
    const trial = {
      url: `${publicUrl}/dashboard/projects/${projectId}/sign-in/providers/${provider}/try`,
      callbackUrl: callbackUrl(publicUrl, provider),
    };
    return ok(200, JSON.stringify(trial), "Ready to be tried");
  },
};
