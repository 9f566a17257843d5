import type { Mount } from "../../handler.ts";
import { session } from "../guards.ts";
import { get, post } from "../pages.ts";
import { acceptByForm, declineByForm, showInvitation } from "./invitation.tsx";

const INVITATION = "/dashboard/invitations/{token}";

export function invitationPages(mount: Mount): void {
  mount(get(INVITATION, session), showInvitation);
  mount(post(`${INVITATION}/accept`, session), acceptByForm);
  mount(post(`${INVITATION}/decline`, session), declineByForm);
}
