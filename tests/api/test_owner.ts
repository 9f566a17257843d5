import type { Role } from "@/lib/projects/members.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { joinProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

/** A project as its members see it. Paths of calls begin after the project: `"/users"`. */
export interface TestOwner {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly projectId: string;
  readonly account: TestAccount;
  asOwner(call: Call): Promise<Answer>;
  /** Sends a call as another account, which has this role. */
  as(role: Role, call: Call): Promise<Answer>;
  /** Fails unless viewers are refused and strangers do not see the project. */
  isForAdmins(call: Call): Promise<void>;
}

export async function createTestOwner(app: TestApp, owned?: TestProject): Promise<TestOwner> {
  const project = owned ?? await app.project();
  const { projectId } = project;
  const account = await project.owner();
  const inProject = (call: Call): Call => ({
    ...call,
    path: `/api/projects/${projectId}${call.path}`,
  });
  async function as(role: Role, call: Call): Promise<Answer> {
    const member = await openAccount(app);
    await joinProject(app.services, projectId, member.accountId, role);
    return await member.send(inProject(call));
  }
  return {
    app,
    project,
    projectId,
    account,
    asOwner: (call) => account.send(inProject(call)),
    as,
    async isForAdmins(call) {
      refused(await as("viewer", call), 403, "ROLE_REQUIRED");
      const stranger = await openAccount(app);
      refused(await stranger.send(inProject(call)), 404, "PROJECT_NOT_FOUND");
    },
  };
}
