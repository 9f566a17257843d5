import type { z } from "zod";
import type { AiKeyInput } from "@/openapi/schemas/ai.ts";
import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { saveAccountKey, saveProjectKey } from "@/lib/ai/keys.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import { ok, type Reply } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../call.ts";

type AiKey = z.infer<typeof AiKeyInput>;

const saved = (hasAiKey: boolean): Reply =>
  ok(200, JSON.stringify({ hasAiKey }), hasAiKey ? "AI key saved" : "AI key cleared");

export const handleSetAccountAiKey: Handler<SignedInAccount, AiKey> = async (call) => {
  return saved(await saveAccountKey(call.services, call.principal, call.input.aiKey));
};

export const handleSetProjectAiKey: Handler<ProjectMember, AiKey> = async (call) => {
  return saved(await saveProjectKey(call.services, call.principal, call.input.aiKey));
};

export const handleGetAiUsage: Handler<SignedInAccount> = async (call) => {
  const usage = await aiUsage(call.services, call.principal);
  return ok(200, JSON.stringify(usage), "AI usage read");
};
