import { NO_STORE } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { listProjects } from "@/lib/projects/project_details.ts";
import { publishableKeyOf } from "@/lib/projects/list_keys.ts";
import type { Services } from "@/lib/services.ts";
import { requireSessionAccount } from "@/openapi/security.ts";
import type { PageContext, PageHandler } from "../handler.ts";

/** Maximum number of projects in which a key is looked for. Older keys are known only by hash. */
const PROJECTS_MAX = 10;

export const handleExampleKey: PageHandler<null> = async (c) => {
  const { services } = c.var;
  const key = services.config.isLocalDev ? await firstProjectKey(services) : await memberKey(c);
  return {
    status: 200,
    body: JSON.stringify({ key }),
    type: "application/json",
    headers: [NO_STORE],
  };
};

/** Returns the key of the first project, which `dev` also prints. */
async function firstProjectKey(services: Services): Promise<string | null> {
  for await (const { _id } of eachProject(services)) return await publishableKeyOf(services, _id);
  return null;
}

/** Returns a key of the newest projects of the signed-in account, or null. */
async function memberKey(c: PageContext<null>): Promise<string | null> {
  const { services, state } = c.var;
  try {
    const account = await requireSessionAccount(services, state);
    const { items } = await listProjects(services, account, { limit: PROJECTS_MAX });
    return items.find(({ publishableKey }) => publishableKey !== null)?.publishableKey ?? null;
  } catch (error) {
    if (error instanceof Problem && error.code === "SIGN_IN_REQUIRED") return null;
    throw error;
  }
}
