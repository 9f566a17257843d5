import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import {
  createTestTokenByForm,
  deleteUserByForm,
  disableUserByForm,
  enableUserByForm,
  endSessionByForm,
  endSessionsByForm,
  showUser,
} from "./user.tsx";
import { changeUserFields, showUserFields } from "./user_fields.tsx";
import { showUsers } from "./users.tsx";
import { changeUserByForm, createUserByForm, showNewUser, showUserForm } from "./write_user.tsx";

const PATH = "/dashboard/projects/{projectId}/users";
const USER = `${PATH}/{id}`;

export function usersPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showUsers);
  mount(get(`${PATH}/new`, member("admin")), showNewUser);
  mount(post(`${PATH}/new`, member("admin")), createUserByForm);
  mount(get(`${PATH}/fields`, member("viewer")), showUserFields);
  mount(post(`${PATH}/fields`, member("admin")), changeUserFields);
  mount(get(USER, member("viewer")), showUser);
  mount(get(`${USER}/edit`, member("admin")), showUserForm);
  mount(post(`${USER}/edit`, member("admin")), changeUserByForm);
  mount(post(`${USER}/disable`, member("admin")), disableUserByForm);
  mount(post(`${USER}/enable`, member("admin")), enableUserByForm);
  mount(post(`${USER}/sessions`, member("admin")), endSessionsByForm);
  mount(post(`${USER}/sessions/{sessionId}`, member("admin")), endSessionByForm);
  mount(post(`${USER}/test-token`, member("admin")), createTestTokenByForm);
  mount(post(`${USER}/delete`, member("admin")), deleteUserByForm);
}
