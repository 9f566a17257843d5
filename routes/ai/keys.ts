import { saveAccountKey, saveProjectKey } from "@/lib/ai/keys.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import { ok, type Reply } from "@/lib/http/respond.ts";
import type * as ai from "@/openapi/paths/ai.ts";
import type { HandlerOf } from "../call.ts";

const saved = (hasAiKey: boolean): Reply =>
  ok(200, JSON.stringify({ hasAiKey }), hasAiKey ? "AI key saved" : "AI key cleared");

export const handleSetAccountAiKey: HandlerOf<typeof ai.setAccountAiKey> = async (call) => {
  return saved(await saveAccountKey(call.services, call.principal, call.input.aiKey));
};

export const handleSetProjectAiKey: HandlerOf<typeof ai.setProjectAiKey> = async (call) => {
  return saved(await saveProjectKey(call.services, call.principal, call.input.aiKey));
};

export const handleGetAiUsage: HandlerOf<typeof ai.getAiUsage> = async (call) => {
  const usage = await aiUsage(call.services, call.principal);
  return ok(200, JSON.stringify(usage), "AI usage read");
};
