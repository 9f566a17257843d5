import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { showJobs, tryJobNow } from "./jobs.tsx";

const PATH = "/dashboard/projects/{projectId}/jobs";

export function jobsPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showJobs);
  mount(post(`${PATH}/{jobId}`, member("admin")), tryJobNow);
}
