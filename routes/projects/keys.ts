import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { endFormerKey, rotateKey } from "@/lib/projects/rotate_key.ts";
import { listKeys } from "@/lib/projects/list_keys.ts";
import type { PROJECT_KEYS } from "@/openapi/paths/project_keys.ts";
import type { HandlersOf } from "../handler.ts";

export const projectKeys: HandlersOf<typeof PROJECT_KEYS> = {
  listProjectKeys: async (c) => {
    const { services, principal } = c.var;
    const items = await listKeys(services, principal.project._id);
    return { ...ok(200, JSON.stringify({ items }), "Keys listed"), headers: [NO_STORE] };
  },

  rotateProjectKey: async (c) => {
    const { services, principal } = c.var;
    const { kind } = c.req.valid("param");
    const rotated = await rotateKey(services, principal.project._id, {
      kind,
      ...c.req.valid("json"),
    });
    return { ...ok(200, JSON.stringify(rotated), "Key rotated"), headers: [NO_STORE] };
  },

  endFormerProjectKey: async (c) => {
    const { services, principal } = c.var;
    const { kind } = c.req.valid("param");
    const ended = await endFormerKey(services, principal.project._id, kind);
    return ok(200, JSON.stringify({ kind, ended }), "Former key ended");
  },
};
