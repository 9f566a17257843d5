import { checkStorage } from "@/lib/files/check_storage.ts";
import {
  clearStorage,
  describeStorage,
  findStorage,
  setStorage,
} from "@/lib/files/storage_settings.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type { PROJECT_STORAGE } from "@/openapi/paths/project_storage.ts";
import type { HandlersOf } from "../handler.ts";

export const projectStorage: HandlersOf<typeof PROJECT_STORAGE> = {
  getProjectStorage: async (c) => {
    const { services, principal } = c.var;
    const { _id } = principal.project;
    const stored = await findStorage(services, _id);
    const own = stored === null ? null : describeStorage(stored.value);
    const usage = await getStorageUsage(services, _id);
    return ok(200, JSON.stringify({ own, usage }), "Storage read");
  },

  setProjectStorage: async (c) => {
    const { services, principal } = c.var;
    const input = c.req.valid("json");
    const stored = await setStorage(services, principal.project._id, input);
    return ok(200, JSON.stringify(describeStorage(stored)), "Storage saved");
  },

  clearProjectStorage: async (
    c,
  ) => {
    const { services, principal } = c.var;
    await clearStorage(services, principal.project._id);
    return ok(200, JSON.stringify({ provider: "internal" }), "Storage cleared");
  },

  checkProjectStorage: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const check = await checkStorage(services, principal.project._id);
    return ok(200, JSON.stringify(check), "Storage checked");
  },
};
