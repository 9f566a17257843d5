import { type Files, openFiles } from "../api/files.ts";
import type { TestAccount } from "../support/dashboard.ts";
import { type Dashboard, openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

/** A project's files, and its owner on their page. */
export interface Fixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: TestAccount;
  readonly files: Files;
  readonly path: string;
  readonly pages: Dashboard;
}

export async function openFilesPage(env: Record<string, string> = {}): Promise<Fixture> {
  const app = await openTestApp({ env });
  const files = await openFiles(app);
  const owner = await files.project.owner();
  const path = `/dashboard/projects/${files.project.projectId}/files`;
  const pages = openDashboard(app, owner);
  return {
    app,
    owner,
    files,
    path,
    pages,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
