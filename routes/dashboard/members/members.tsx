import type { Problem } from "@/lib/problems.ts";
import { listMembers, type ShownMember } from "@/lib/projects/manage_members.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { RecordPage } from "@/lib/page.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Call, Handler } from "../../call.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { Pages, pagingOf } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { type Invitation, Invite } from "./invite.tsx";
import { MemberRow } from "./member_row.tsx";
import { RoleTable } from "./role_table.tsx";

const DONE = {
  invited: "They are a member now, and find the project among theirs.",
  role: "The role is changed.",
  removed: "They are no member any more.",
  transferred: "The project has another owner. You are an admin of it now.",
};

/** A form of this page that was refused: that of one member, or the invitation. */
export interface Refused {
  readonly accountId?: Id;
  readonly invitation?: Invitation;
  readonly problem: Problem;
}

export const showMembers: Handler<ProjectMember> = async (call) =>
  pageReply(await membersPage(call));

export const refusedMembers = async (call: Call<ProjectMember>, refused: Refused) =>
  pageReply(await membersPage(call, refused), { status: refused.problem.status });

async function membersPage(
  { services, principal, query }: Call<ProjectMember>,
  refused?: Refused,
) {
  const [frame, page] = await Promise.all([
    loadFrame(services, principal),
    listMembers(services, principal.project._id, pagingOf(query)),
  ]);
  const path = `${frame.home}/members`;
  return (
    <ProjectShell frame={frame} title="Members" current={path}>
      <Bar title="Members" />
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        <List {...{ page, path, query, principal, refused }} />
        {includes(principal.role, "admin") && <Invite path={path} refused={refused} />}
        <RoleTable />
      </div>
    </ProjectShell>
  );
}

const List = (
  { page: { items, nextCursor }, path, query, principal, refused }: {
    page: RecordPage<ShownMember>;
    path: string;
    query: string;
    principal: ProjectMember;
    refused: Refused | undefined;
  },
) => (
  <article class="card">
    <h2>Who has a part in this project</h2>
    {items.length < 2 && nextCursor === null && (
      <p>Nobody but you so far{includes(principal.role, "admin") && ": invite somebody below"}.</p>
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
    <Pages path={path} query={query} nextCursor={nextCursor} what="members" />
  </article>
);
