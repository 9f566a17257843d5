import assert from "node:assert/strict";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** Restricts the project's publishable key to these origins. */
export async function allowOrigins(
  app: TestApp,
  { projectId }: TestProject,
  allowedOrigins: string[],
): Promise<void> {
  const projects = app.services.engine.records<ProjectRecord>("control", PROJECTS);
  const stored = await projects.updateOne(eq("_id", projectId), { set: { allowedOrigins } });
  assert.notEqual(stored, null);
  app.services.keys.forget(projectId);
}
