import { checkStorage } from "@/lib/files/check_storage.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import {
  clearStorage,
  findStorage,
  setStorage,
  shownStorage,
} from "@/lib/files/storage_settings.ts";
import type * as storage from "@/openapi/paths/project_storage.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetProjectStorage: HandlerOf<typeof storage.getProjectStorage> = async (c) => {
  const { services, principal } = c.var;
  const { _id } = principal.project;
  const stored = await findStorage(services, _id);
  const own = stored === null ? null : shownStorage(stored.value);
  const usage = await getStorageUsage(services, _id);
  return ok(200, JSON.stringify({ own, usage }), "Storage read");
};

export const handleSetProjectStorage: HandlerOf<typeof storage.setProjectStorage> = async (c) => {
  const { services, principal } = c.var;
  const input = c.req.valid("json");
  const stored = await setStorage(services, principal.project._id, input);
  return ok(200, JSON.stringify(shownStorage(stored)), "Storage saved");
};

export const handleClearProjectStorage: HandlerOf<typeof storage.clearProjectStorage> = async (
  c,
) => {
  const { services, principal } = c.var;
  await clearStorage(services, principal.project._id);
  return ok(200, JSON.stringify({ provider: "internal" }), "Storage cleared");
};

export const handleCheckProjectStorage: HandlerOf<typeof storage.checkProjectStorage> = async (
  c,
) => {
  const { services, principal } = c.var;
  const check = await checkStorage(services, principal.project._id);
  return ok(200, JSON.stringify(check), "Storage checked");
};
