import { countedByAddress } from "@/openapi/security.ts";
import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import {
  changeRoleByForm,
  inviteByForm,
  offerByForm,
  redirectToMembers,
  removeByForm,
  revokeByForm,
} from "./member_forms.ts";
import { showMembers } from "./members.tsx";

const MEMBERS = "/dashboard/projects/{projectId}/members";
const INVITATIONS = "/dashboard/projects/{projectId}/invitations";
const ONE = `${MEMBERS}/{accountId}`;

export function membersPages(mount: Mount): void {
  mount(get(MEMBERS, member("viewer")), showMembers);
  mount(post(MEMBERS, countedByAddress(member("admin"))), inviteByForm);
  mount(post(ONE, member("admin")), changeRoleByForm);
  mount(post(`${ONE}/remove`, member("viewer")), removeByForm);
  mount(post(`${ONE}/owner`, member("owner")), offerByForm);
  mount(get(INVITATIONS, member("viewer")), redirectToMembers);
  mount(post(`${INVITATIONS}/{invitationId}`, member("admin")), revokeByForm);
}
