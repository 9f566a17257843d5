import type { Role } from "@/lib/projects/members.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { type Dashboard, openDashboard } from "../support/pages.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** A project, and its owner at the dashboard. */
export interface ProjectPages {
  readonly project: TestProject;
  readonly home: string;
  readonly dashboard: Dashboard;
  /** Opens the dashboard of another account: a member, or a stranger without a role. */
  as(role: Role | null): Promise<Dashboard>;
}

export async function openProjectPages(app: TestApp): Promise<ProjectPages> {
  const project = await app.project();
  const { projectId } = project;
  return {
    project,
    home: `/dashboard/projects/${projectId}`,
    dashboard: openDashboard(app, await project.owner()),
    async as(role) {
      const other = await openAccount(app);
      if (role !== null) await joinProject(app.services, projectId, other.accountId, role);
      return openDashboard(app, other);
    },
  };
}
