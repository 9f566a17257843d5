import type { Id } from "@/lib/store/port.ts";
import type { Problem } from "@/lib/problems.ts";
import { inviterRole } from "@/lib/projects/invitations.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { InvitationDetails } from "@/lib/projects/list_invitations.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

export const OpenInvitations = (
  { home, invitations, viewer, problemOf }: {
    home: string;
    invitations: readonly InvitationDetails[];
    viewer: ProjectMember;
    problemOf: (invitationId: Id) => Problem | null;
  },
) => (
  <article class="card">
    <h2>{texts().members.open.title}</h2>
    <ul class="rows">
      {invitations.map((invitation) => (
        <Row
          home={home}
          invitation={invitation}
          canRevoke={roleIncludes(viewer.role, inviterRole(invitation))}
          problem={problemOf(invitation.invitationId)}
        />
      ))}
    </ul>
  </article>
);

const Row = (
  { home, invitation: { invitationId, email, role, createdAt, expiresAt }, canRevoke, problem }: {
    home: string;
    invitation: InvitationDetails;
    canRevoke: boolean;
    problem: Problem | null;
  },
) => {
  const { members: { open: t }, shared: { roles } } = texts();
  return (
    <li>
      <Refusal problem={problem} />
      <span class="grow">
        <b>{email}</b> <span class="badge">{roles[role]}</span>
        <small>{t.valid(<When at={createdAt} />, <When at={expiresAt} />)}</small>
      </span>
      {canRevoke && (
        <ConfirmForm
          label={t.withdraw}
          action={`${home}/invitations/${invitationId}`}
          loss={t.loss}
          button={t.submit(email)}
        />
      )}
    </li>
  );
};
