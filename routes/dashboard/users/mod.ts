import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import {
  deleteUserByForm,
  disableUserByForm,
  enableUserByForm,
  endSessionByForm,
  endSessionsByForm,
  showUser,
} from "./user.tsx";
import { showUsers } from "./users.tsx";

const PATH = "/dashboard/projects/{projectId}/users";
const USER = `${PATH}/{id}`;

export function usersPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showUsers);
  mount(get(USER, member("viewer")), showUser);
  mount(post(`${USER}/disable`, member("admin")), disableUserByForm);
  mount(post(`${USER}/enable`, member("admin")), enableUserByForm);
  mount(post(`${USER}/sessions`, member("admin")), endSessionsByForm);
  mount(post(`${USER}/sessions/{sessionId}`, member("admin")), endSessionByForm);
  mount(post(`${USER}/delete`, member("admin")), deleteUserByForm);
}
