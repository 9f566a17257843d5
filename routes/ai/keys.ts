import { saveAccountKey, saveProjectKey } from "@/lib/ai/keys.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import { ok, type Reply } from "@/lib/http/respond.ts";
import type * as ai from "@/openapi/paths/ai.ts";
import type { HandlerOf } from "../handler.ts";

const saved = (hasAiKey: boolean): Reply =>
  ok(200, JSON.stringify({ hasAiKey }), hasAiKey ? "AI key saved" : "AI key cleared");

export const handleSetAccountAiKey: HandlerOf<typeof ai.setAccountAiKey> = async (c) => {
  const { services, principal } = c.var;
  return saved(await saveAccountKey(services, principal, c.req.valid("json").aiKey));
};

export const handleSetProjectAiKey: HandlerOf<typeof ai.setProjectAiKey> = async (c) => {
  const { services, principal } = c.var;
  return saved(await saveProjectKey(services, principal, c.req.valid("json").aiKey));
};

export const handleGetAiUsage: HandlerOf<typeof ai.getAiUsage> = async (c) => {
  const { services, principal } = c.var;
  const usage = await aiUsage(services, principal);
  return ok(200, JSON.stringify(usage), "AI usage read");
};
