import assert from "node:assert/strict";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** Lists the origins from which the project's publishable key works; no operation does so yet. */
export async function allowOnly(
  app: TestApp,
  { projectId }: TestProject,
  allowedOrigins: string[],
): Promise<void> {
  const projects = app.services.engine.records<ProjectRecord>("control", PROJECTS);
  const stored = await projects.updateOne(eq("_id", projectId), { set: { allowedOrigins } });
  assert.notEqual(stored, null);
  app.services.keys.forget(projectId);
}
