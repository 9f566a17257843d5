import type { Id } from "@/lib/store/port.ts";
import type { Problem } from "@/lib/problems.ts";
import { leastInviter } from "@/lib/projects/invitations.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { ShownInvitation } from "@/lib/projects/shown_invitation.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

/** Invitations that nobody has accepted yet, with what withdraws them. */
export const OpenInvitations = (
  { home, invitations, viewer, problemOf }: {
    home: string;
    invitations: readonly ShownInvitation[];
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
          mayRevoke={includes(viewer.role, leastInviter(invitation))}
          problem={problemOf(invitation.invitationId)}
        />
      ))}
    </ul>
  </article>
);

const Row = (
  { home, invitation: { invitationId, email, role, createdAt, expiresAt }, mayRevoke, problem }: {
    home: string;
    invitation: ShownInvitation;
    mayRevoke: boolean;
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
      {mayRevoke && (
        <Ask
          label={t.withdraw}
          action={`${home}/invitations/${invitationId}`}
          loss={t.loss}
          button={t.submit(email)}
        />
      )}
    </li>
  );
};
