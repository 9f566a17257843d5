import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import type { Problem } from "@/lib/problems.ts";
import {
  acceptInvitation,
  declineInvitation,
  type InvitationPreview,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { homeOf } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";

export const showInvitation: PageHandler<SignedInAccount, "token"> = async (c) =>
  pageReply(await invitationPage(c));

export const acceptByForm: PageHandler<SignedInAccount, "token"> = async (c) => {
  const { services, principal } = c.var;
  const tried = await attempt(() =>
    acceptInvitation(services, principal, c.req.valid("param").token)
  );
  if (tried.problem === null) return seeOther(homeOf(tried.value.project._id));
  // Of what does not hold any more there is nothing to show.
  const page = await invitationPage(c, tried.problem);
  return pageReply(page, { status: tried.problem.status });
};

export const declineByForm: PageHandler<SignedInAccount, "token"> = async (c) => {
  const { services, principal } = c.var;
  await declineInvitation(services, principal, c.req.valid("param").token);
  return seeOther("/dashboard?done=declined");
};

/** What the link leads to. Throws `INVITATION_NOT_FOUND`. */
async function invitationPage(
  c: PageContext<SignedInAccount, "token">,
  problem: Problem | null = null,
) {
  const { services, principal } = c.var;
  const { token } = c.req.valid("param");
  const preview = await previewInvitation(services, principal, token);
  const path = `/dashboard/invitations/${encodeURIComponent(token)}`;
  return (
    <AccountShell title="Invitation" current="" {...principal}>
      <Bar title="Invitation" />
      <div class="sheet">
        <Card {...{ preview, path, problem }} email={principal.email} />
      </div>
    </AccountShell>
  );
}

const MEANING = {
  viewer: "As a viewer you read everything in it.",
  admin: "As an admin you change everything in it, except who owns it.",
  owner: "It becomes yours: your plan rules it, and only you can delete it or give it away. " +
    "Whoever owns it now stays as an admin.",
};

const Card = (
  { preview, path, problem, email }: {
    preview: InvitationPreview;
    path: string;
    problem: Problem | null;
    email: string;
  },
) => {
  const { projectName, role, invitedBy, expiresAt } = preview;
  return (
    <article class="card">
      <h2>{role === "owner" ? `Take over ${projectName}` : `Join ${projectName}`}</h2>
      <p>
        {invitedBy.name === null ? invitedBy.email : `${invitedBy.name} (${invitedBy.email})`}{" "}
        {role === "owner" ? "offers you this project." : "invites you to this project."}{" "}
        {MEANING[role]}
      </p>
      <dl class="facts">
        <dt>Invited as</dt>
        <dd>{preview.email}</dd>
        <dt>Signed in as</dt>
        <dd>{email}</dd>
        <dt>Valid until</dt>
        <dd>
          <When at={expiresAt} />
        </dd>
      </dl>
      {email !== preview.email && (
        <p>
          To accept it with another account, sign out and open the link again.
        </p>
      )}
      <form method="post" action={`${path}/accept`}>
        <Refusal problem={problem} />
        <button>Accept</button>
      </form>
      <Ask
        label="Decline"
        action={`${path}/decline`}
        loss="The link leads nowhere any more. If you change your mind, ask for a new one."
        button="Decline the invitation"
      />
    </article>
  );
};
