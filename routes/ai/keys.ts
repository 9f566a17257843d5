import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { aiKeyOf, saveAccountKey, saveProjectKey } from "@/lib/ai/keys.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import { asMembers } from "@/lib/documents/document.ts";
import { ok, type Reply } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../call.ts";

const saved = (hasAiKey: boolean): Reply =>
  ok(200, JSON.stringify({ hasAiKey }), hasAiKey ? "AI key saved" : "AI key cleared");

export const handleSetAccountAiKey: Handler<SignedInAccount> = async (call) => {
  const aiKey = aiKeyOf(asMembers(await call.body()));
  return saved(await saveAccountKey(call.services, call.principal, aiKey));
};

export const handleSetProjectAiKey: Handler<ProjectMember> = async (call) => {
  const aiKey = aiKeyOf(asMembers(await call.body()));
  return saved(await saveProjectKey(call.services, call.principal, aiKey));
};

export const handleGetAiUsage: Handler<SignedInAccount> = async (call) => {
  const usage = await aiUsage(call.services, call.principal);
  return ok(200, JSON.stringify(usage), "AI usage read");
};
