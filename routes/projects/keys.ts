import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { endFormerKey, rotateKey } from "@/lib/projects/rotate_key.ts";
import { listKeys } from "@/lib/projects/shown_keys.ts";
import type * as keys from "@/openapi/paths/project_keys.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListProjectKeys: HandlerOf<typeof keys.listProjectKeys> = async (c) => {
  const { services, principal } = c.var;
  const items = await listKeys(services, principal.project._id);
  return { ...ok(200, JSON.stringify({ items }), "Keys listed"), headers: [NO_STORE] };
};

export const handleRotateProjectKey: HandlerOf<typeof keys.rotateProjectKey> = async (c) => {
  const { services, principal } = c.var;
  const { kind } = c.req.valid("param");
  const rotated = await rotateKey(services, principal.project._id, {
    kind,
    ...c.req.valid("json"),
  });
  return { ...ok(200, JSON.stringify(rotated), "Key rotated"), headers: [NO_STORE] };
};

export const handleEndFormerProjectKey: HandlerOf<typeof keys.endFormerProjectKey> = async (c) => {
  const { services, principal } = c.var;
  const { kind } = c.req.valid("param");
  const ended = await endFormerKey(services, principal.project._id, kind);
  return ok(200, JSON.stringify({ kind, ended }), "Former key ended");
};
