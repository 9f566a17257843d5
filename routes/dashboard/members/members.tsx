import { canMailAccounts } from "@/lib/accounts/send_code.ts";
import type { Problem } from "@/lib/problems.ts";
import { PENDING_INVITATIONS_MAX } from "@/lib/limits.ts";
import type { SentInvitation } from "@/lib/projects/invite.ts";
import { listMembers, type MemberDetails } from "@/lib/projects/manage_members.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { type InvitationDetails, listInvitations } from "@/lib/projects/list_invitations.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { PageLinks, readPaging } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { type EnteredInvitation, InvitationLink, InviteCard } from "./invite.tsx";
import { MemberRow } from "./member_row.tsx";
import { OpenInvitations } from "./open_invitations.tsx";
import { RoleTable } from "./role_table.tsx";

export interface RefusedMemberForm {
  readonly accountId?: Id;
  readonly invitationId?: Id;
  readonly typed?: EnteredInvitation;
  readonly problem: Problem;
}

export const showMembers: PageHandler<ProjectMember> = async (c) => pageReply(await membersPage(c));

export const refusedMembersReply = async (
  c: PageContext<ProjectMember>,
  refused: RefusedMemberForm,
) => pageReply(await membersPage(c, { refused }), { status: refused.problem.status });

export const invitationReply = async (c: PageContext<ProjectMember>, sent: SentInvitation) =>
  pageReply(await membersPage(c, { sent }));

async function membersPage(
  c: PageContext<ProjectMember>,
  { refused, sent }: { refused?: RefusedMemberForm; sent?: SentInvitation } = {},
) {
  const { services, principal, state: { query } } = c.var;
  const { project: { _id: projectId }, role } = principal;
  const canInvite = roleIncludes(role, "admin");
  const [frame, page, open, mails] = await Promise.all([
    loadFrame(services, principal),
    listMembers(services, projectId, readPaging(query)),
    canInvite ? listInvitations(services, projectId, { limit: PENDING_INVITATIONS_MAX }) : null,
    canMailAccounts(services),
  ]);
  const path = `${frame.home}/members`;
  const problemOf = (id: Id) => refused?.invitationId === id ? refused.problem : null;
  const t = texts().members;
  return (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title} />
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {sent !== undefined && <InvitationLink sent={sent} />}
        {isUnlisted(refused, open?.items ?? []) && <Refusal problem={refused!.problem} />}
        <List {...{ page, path, query, principal, refused }} />
        {open !== null && open.items.length > 0 && (
          <OpenInvitations
            {...{ home: frame.home, problemOf }}
            invitations={open.items}
            viewer={principal}
          />
        )}
        {canInvite && (
          <InviteCard
            path={path}
            mails={mails}
            typed={refused?.typed}
            problem={refused?.typed === undefined ? null : refused.problem}
          />
        )}
        <RoleTable />
      </div>
    </ProjectShell>
  );
}

/** Whether the refused form belongs to an invitation that is not listed any more. */
const isUnlisted = (
  refused: RefusedMemberForm | undefined,
  open: readonly InvitationDetails[],
): boolean =>
  refused?.invitationId !== undefined &&
  !open.some(({ invitationId }) => invitationId === refused.invitationId);

const List = (
  { page: { items, nextCursor }, path, query, principal, refused }: {
    page: RecordPage<MemberDetails>;
    path: string;
    query: string;
    principal: ProjectMember;
    refused: RefusedMemberForm | undefined;
  },
) => {
  const t = texts().members.list;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {items.length < 2 && nextCursor === null && (
        <p>{roleIncludes(principal.role, "admin") ? t.aloneAsAdmin : t.alone}</p>
      )}
      <ul class="rows">
        {items.map((member) => (
          <MemberRow
            path={path}
            member={member}
            viewer={principal}
            problem={refused?.accountId === member.accountId ? refused.problem : null}
          />
        ))}
      </ul>
      <PageLinks path={path} query={query} nextCursor={nextCursor} what={t.paged} />
    </article>
  );
};
