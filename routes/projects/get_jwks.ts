import { findProject } from "@/lib/projects/projects.ts";
import { Problem } from "@/lib/problems.ts";
import type { getJwks } from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetJwks: HandlerOf<typeof getJwks> = async (c) => {
  const { services } = c.var;
  const params = c.req.valid("param");
  const project = await findProject(services, params.projectId);
  const key = await services.signingKeys.find(project._id);
  if (key === null) throw new Problem("PROJECT_NOT_FOUND");
  return { status: 200, body: JSON.stringify({ keys: [key.publicJwk] }) };
};
