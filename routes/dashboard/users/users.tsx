import { listUsers } from "@/lib/users/manage_users.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { pagingOf } from "../paging.tsx";
import { attempt, pageReply } from "../replies.ts";
import { Anonymous, calledBy, Disabled, Roles, WaysToSignIn } from "./profile.tsx";
import { UsersTabs } from "./users_tabs.tsx";

const ROWS = 50;

/** What stands in a cell that has nothing. */
const NOTHING = "—";

const DONE = { deleted: "The user is deleted." };

const NOBODY: RecordPage<UserRecord> = { items: [], nextCursor: null };

export const showUsers: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const asked = new URLSearchParams(query);
  const search = asked.get("search") ?? "";
  const cursor = asked.get("cursor");
  const path = `${homeOf(projectId)}/users`;
  const [frame, tried] = await Promise.all([
    loadFrame(services, principal),
    attempt(() =>
      listUsers(services, projectId, {
        ...pagingOf(query, ROWS),
        ...(search !== "" && { search }),
      })
    ),
  ]);
  const { items, nextCursor } = tried.problem === null ? tried.value : NOBODY;
  const page = (
    <ProjectShell frame={frame} title="Users" current={path}>
      <Bar title="Users">
        <UsersTabs path={path} current={path} />
        <form class="search" action={path}>
          <input
            name="search"
            type="search"
            value={search}
            aria-label="E-mail contains"
            placeholder="E-mail"
          />
          <button class="quiet">Search</button>
        </form>
        {includes(frame.role, "admin") && (
          <>
            <span class="grow"></span>
            <a role="button" href={`${path}/new`}>New user</a>
          </>
        )}
      </Bar>
      <DoneNote query={query} sentences={DONE} />
      <Refusal problem={tried.problem} />
      {items.length === 0 && tried.problem === null && (
        <Nobody search={search} isFirst={cursor === null} frame={frame} />
      )}
      {items.length > 0 && <UserTable users={items} path={path} />}
      <nav class="pages" aria-label="Pages">
        {cursor !== null && <a href={`${path}?${queryOf(search, null)}`}>First page</a>}
        {nextCursor !== null && <a href={`${path}?${queryOf(search, nextCursor)}`}>Next page</a>}
      </nav>
    </ProjectShell>
  );
  return pageReply(page, { status: tried.problem?.status ?? 200 });
};

const queryOf = (search: string, cursor: string | null): string =>
  new URLSearchParams({
    limit: String(ROWS),
    ...(search !== "" && { search }),
    ...(cursor !== null && { cursor }),
  }).toString();

const Nobody = (
  { search, isFirst, frame: { home, role } }: { search: string; isFirst: boolean; frame: Frame },
) => (
  <div class="sheet">
    {search !== "" && (
      <p class="empty">
        No user has an e-mail that contains this text. <a href={`${home}/users`}>Show all users</a>
      </p>
    )}
    {search === "" && !isFirst && <p class="empty">There are no more users.</p>}
    {search === "" && isFirst && (
      <p class="empty">
        Nobody has signed in so far. Users come by themselves, by e-mail or a provider:{" "}
        <a href={`${home}/sign-in`}>
          {includes(role, "admin") ? "set up sign-in" : "see which ways are on"}
        </a>.
      </p>
    )}
  </div>
);

const UserTable = ({ users, path }: { users: readonly UserRecord[]; path: string }) => (
  <div class="scroll" role="region" aria-label="Users" tabindex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col">Name</th>
          <th scope="col">Roles</th>
          <th scope="col">Signs in by</th>
          <th scope="col">Last sign-in</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr>
            <td>
              <a href={`${path}/${user._id}`}>{calledBy(user)}</a> <Anonymous user={user} />{" "}
              <Disabled user={user} />
            </td>
            <td>{user.name ?? NOTHING}</td>
            <td>{(user.roles ?? []).length === 0 ? NOTHING : <Roles user={user} />}</td>
            <td>
              <WaysToSignIn user={user} otherwise={NOTHING} />
            </td>
            <td>{user.lastSignInAt ? <When at={user.lastSignInAt} /> : "never"}</td>
            <td>
              <When at={user.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
