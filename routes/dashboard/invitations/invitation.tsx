import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import type { Problem } from "@/lib/problems.ts";
import {
  acceptInvitation,
  declineInvitation,
  type InvitationPreview,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { homeOf } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const showInvitation: PageHandler<SignedInAccount, "token"> = async (c) =>
  pageReply(await invitationPage(c));

export const acceptByForm: PageHandler<SignedInAccount, "token"> = async (c) => {
  const { services, principal } = c.var;
  const result = await attempt(() =>
    acceptInvitation(services, principal, c.req.valid("param").token)
  );
  if (result.problem === null) return seeOther(homeOf(result.value.project._id));
  // Throws if the invitation is not valid any more.
  const page = await invitationPage(c, result.problem);
  return pageReply(page, { status: result.problem.status });
};

export const declineByForm: PageHandler<SignedInAccount, "token"> = async (c) => {
  const { services, principal } = c.var;
  await declineInvitation(services, principal, c.req.valid("param").token);
  return seeOther("/dashboard?done=declined");
};

/** Renders the page of the link's invitation. Throws `INVITATION_NOT_FOUND`. */
async function invitationPage(
  c: PageContext<SignedInAccount, "token">,
  problem: Problem | null = null,
) {
  const { services, principal } = c.var;
  const { token } = c.req.valid("param");
  const preview = await previewInvitation(services, principal, token);
  const path = `/dashboard/invitations/${encodeURIComponent(token)}`;
  const { title } = texts().invitations;
  return (
    <AccountShell title={title} current="" {...principal}>
      <Bar title={title} />
      <div class="sheet">
        <Card {...{ preview, path, problem }} email={principal.email} />
      </div>
    </AccountShell>
  );
}

const Card = (
  { preview, path, problem, email }: {
    preview: InvitationPreview;
    path: string;
    problem: Problem | null;
    email: string;
  },
) => {
  const { projectName, role, invitedBy: { name, email: inviter }, expiresAt } = preview;
  const t = texts().invitations;
  return (
    <article class="card">
      <h2>{role === "owner" ? t.takeOver(projectName) : t.join(projectName)}</h2>
      <p>{t.about[role](name === null ? inviter : `${name} (${inviter})`)}</p>
      <dl class="facts">
        <dt>{t.invitedAs}</dt>
        <dd>{preview.email}</dd>
        <dt>{t.signedInAs}</dt>
        <dd>{email}</dd>
        <dt>{t.validUntil}</dt>
        <dd>
          <When at={expiresAt} />
        </dd>
      </dl>
      {email !== preview.email && <p>{t.otherAccount}</p>}
      <form method="post" action={`${path}/accept`}>
        <Refusal problem={problem} />
        <button>{t.accept}</button>
      </form>
      <ConfirmForm
        label={t.decline.label}
        action={`${path}/decline`}
        loss={t.decline.loss}
        button={t.decline.submit}
      />
    </article>
  );
};
