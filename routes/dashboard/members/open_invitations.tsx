import type { Id } from "@/lib/store/port.ts";
import type { Problem } from "@/lib/problems.ts";
import { leastInviter } from "@/lib/projects/invitations.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { ShownInvitation } from "@/lib/projects/shown_invitation.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

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
    <h2>Open invitations</h2>
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
) => (
  <li>
    <Refusal problem={problem} />
    <span class="grow">
      <b>{email}</b> <span class="badge">{role}</span>
      <small>
        since <When at={createdAt} />, until <When at={expiresAt} />
      </small>
    </span>
    {mayRevoke && (
      <Ask
        label="Withdraw"
        action={`${home}/invitations/${invitationId}`}
        loss="The link leads nowhere any more. To invite them again, make a new one."
        button={`Withdraw the invitation of ${email}`}
      />
    )}
  </li>
);
