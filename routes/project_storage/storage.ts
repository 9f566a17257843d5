import { asMembers } from "@/lib/documents/document.ts";
import { checkStorage } from "@/lib/files/check_storage.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { clearStorage, findStorage, setStorage, shownStorage } from "@/lib/projects/storage.ts";
import type { Handler } from "../call.ts";

export const handleGetProjectStorage: Handler<ProjectMember> = async ({ services, principal }) => {
  const { _id } = principal.project;
  const stored = await findStorage(services, _id);
  const own = stored === null ? null : shownStorage(stored.value);
  const usage = await getStorageUsage(services, _id);
  return ok(200, JSON.stringify({ own, usage }), "Storage read");
};

export const handleSetProjectStorage: Handler<ProjectMember> = async (call) => {
  const given = asMembers(await call.body());
  const stored = await setStorage(call.services, call.principal.project._id, given);
  return ok(200, JSON.stringify(shownStorage(stored)), "Storage saved");
};

export const handleClearProjectStorage: Handler<ProjectMember> = async (call) => {
  await clearStorage(call.services, call.principal.project._id);
  return ok(200, JSON.stringify({ provider: "internal" }), "Storage cleared");
};

export const handleCheckProjectStorage: Handler<ProjectMember> = async (call) => {
  const check = await checkStorage(call.services, call.principal.project._id);
  return ok(200, JSON.stringify(check), "Storage checked");
};
