import { ok } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { listProviders, setProvider } from "@/lib/social/manage_providers.ts";
import type { Handler } from "../call.ts";

export const handleListProviders: Handler<ProjectMember> = async ({ services, principal }) => {
  const items = await listProviders(services, principal.project._id);
  return ok(200, JSON.stringify({ items }), "Providers listed");
};

export const handleSetProvider: Handler<ProjectMember> = async (call) => {
  const provider = await setProvider(call.services, call.principal.project._id, {
    provider: call.param("provider"),
    body: await call.body(),
  });
  return ok(200, JSON.stringify(provider), "Provider saved");
};
