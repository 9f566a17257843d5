import { NO_STORE } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { listProjects } from "@/lib/projects/shown_project.ts";
import { publishableKeyOf } from "@/lib/projects/shown_keys.ts";
import type { Services } from "@/lib/services.ts";
import { accountOf } from "@/openapi/security.ts";
import type { PageContext, PageHandler } from "../handler.ts";

/** Projects of a member in which a key is looked for: of some only the hash is known. */
const LOOKED_AT_MAX = 10;

/** The key that the reference's samples carry. It is publishable: a secret one is shown nowhere. */
export const handleExampleKey: PageHandler<null> = async (c) => {
  const { services } = c.var;
  const key = services.config.isLocalDev ? await firstKey(services) : await memberKey(c);
  return {
    status: 200,
    body: JSON.stringify({ key }),
    type: "application/json",
    headers: [NO_STORE],
  };
};

/** That of the first project, which `dev` prints as well: in an empty folder it is the demo. */
async function firstKey(services: Services): Promise<string | null> {
  for await (const { _id } of eachProject(services)) return await publishableKeyOf(services, _id);
  return null;
}

/** That of the newest project in which the reader has a part. */
async function memberKey(c: PageContext<null>): Promise<string | null> {
  const { services, state } = c.var;
  try {
    const account = await accountOf(services, state);
    const { items } = await listProjects(services, account, { limit: LOOKED_AT_MAX });
    return items.find(({ publishableKey }) => publishableKey !== null)?.publishableKey ?? null;
  } catch (error) {
    if (error instanceof Problem && error.code === "SIGN_IN_REQUIRED") return null;
    throw error;
  }
}
