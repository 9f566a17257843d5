import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { recordByForm, showRequests } from "./requests.tsx";

const PATH = "/dashboard/projects/{projectId}/requests";

export function requestsPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showRequests);
  mount(post(`${PATH}/recording`, member("admin")), recordByForm);
}
