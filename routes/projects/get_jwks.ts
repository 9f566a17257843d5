import { findProject } from "@/lib/projects/projects.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleGetJwks: Handler<null> = async ({ services, param }) => {
  const project = await findProject(services, param("projectId"));
  const key = await services.signingKeys.find(project._id);
  if (key === null) throw new Problem("PROJECT_NOT_FOUND");
  return { status: 200, body: JSON.stringify({ keys: [key.publicJwk] }) };
};
