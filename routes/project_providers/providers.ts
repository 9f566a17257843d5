import { ok } from "@/lib/http/respond.ts";
import { listProviders, setProvider } from "@/lib/social/manage_providers.ts";
import { callbackUrl } from "@/lib/social/callback_url.ts";
import { readyToSignIn } from "@/lib/social/start_sign_in.ts";
import type * as providers from "@/openapi/paths/project_providers.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListProviders: HandlerOf<typeof providers.listProviders> = async (c) => {
  const { services, principal } = c.var;
  const items = await listProviders(services, principal.project._id);
  return ok(200, JSON.stringify({ items }), "Providers listed");
};

export const handleSetProvider: HandlerOf<typeof providers.setProvider> = async (c) => {
  const { services, principal } = c.var;
  const params = c.req.valid("param");
  const input = c.req.valid("json");
  const { _id } = principal.project;
  const provider = await setProvider(services, _id, params.provider, input);
  return ok(200, JSON.stringify(provider), "Provider saved");
};

export const handleTryProvider: HandlerOf<typeof providers.tryProvider> = async (c) => {
  const { services, principal: { project: { _id: projectId, siteUrl } } } = c.var;
  const { provider } = c.req.valid("param");
  const { publicUrl } = services.config;
  await readyToSignIn(services, { projectId, siteUrl }, provider);
  const trial = {
    url: `${publicUrl}/dashboard/projects/${projectId}/sign-in/providers/${provider}/try`,
    callbackUrl: callbackUrl(publicUrl, provider),
  };
  return ok(200, JSON.stringify(trial), "Ready to be tried");
};
