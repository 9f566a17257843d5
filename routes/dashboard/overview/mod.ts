import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { changeAddresses, endFormerByForm, rotateByForm, showOverview } from "./overview.tsx";
import { showRequestCounts } from "./request_counts.tsx";

const HOME = "/dashboard/projects/{projectId}";

export function overviewPages(mount: Mount): void {
  mount(get(HOME, member("viewer")), showOverview);
  mount(post(HOME, member("admin")), changeAddresses);
  mount(post(`${HOME}/keys`, member("admin")), rotateByForm);
  mount(post(`${HOME}/keys/end`, member("admin")), endFormerByForm);
  mount(get(`${HOME}/request-counts`, member("viewer")), showRequestCounts);
}
