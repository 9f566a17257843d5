import { listUsers } from "@/lib/users/manage_users.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { readPaging } from "../paging.tsx";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { AnonymousBadge, DisabledBadge, RoleBadges, SignInMethods, userName } from "./profile.tsx";
import { UsersTabs } from "./users_tabs.tsx";

const ROWS = 50;

const EMPTY_CELL = "—";

const NO_USERS: RecordPage<UserRecord> = { items: [], nextCursor: null };

export const showUsers: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const parameters = new URLSearchParams(query);
  const search = parameters.get("search") ?? "";
  const cursor = parameters.get("cursor");
  const path = `${homeOf(projectId)}/users`;
  const [frame, result] = await Promise.all([
    loadFrame(services, principal),
    attempt(() =>
      listUsers(services, projectId, {
        ...readPaging(query, ROWS),
        ...(search !== "" && { search }),
      })
    ),
  ]);
  const { items, nextCursor } = result.problem === null ? result.value : NO_USERS;
  const t = texts().users.list;
  const page = (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <UsersTabs path={path} current={path} />
        <SearchForm path={path} search={search} />
        {roleIncludes(frame.role, "admin") && (
          <>
            <span class="grow"></span>
            <a role="button" href={`${path}/new`}>{t.create}</a>
          </>
        )}
      </Bar>
      <DoneNote query={query} sentences={t.done} />
      <Refusal problem={result.problem} />
      {items.length === 0 && result.problem === null && (
        <NoUsers search={search} isFirst={cursor === null} frame={frame} />
      )}
      {items.length > 0 && <UserTable users={items} path={path} />}
      <nav class="pages" aria-label={t.pages}>
        {cursor !== null && <a href={`${path}?${queryOf(search, null)}`}>{t.firstPage}</a>}
        {nextCursor !== null && <a href={`${path}?${queryOf(search, nextCursor)}`}>{t.nextPage}</a>}
      </nav>
    </ProjectShell>
  );
  return pageReply(page, { status: result.problem?.status ?? 200 });
};

const SearchForm = ({ path, search }: { path: string; search: string }) => {
  const t = texts().users.list;
  return (
    <form class="search" action={path}>
      <input
        name="search"
        type="search"
        value={search}
        aria-label={t.searchLabel}
        placeholder={t.searchHint}
      />
      <button class="quiet">{t.search}</button>
    </form>
  );
};

const queryOf = (search: string, cursor: string | null): string =>
  new URLSearchParams({
    limit: String(ROWS),
    ...(search !== "" && { search }),
    ...(cursor !== null && { cursor }),
  }).toString();

const NoUsers = (
  { search, isFirst, frame: { home, role } }: { search: string; isFirst: boolean; frame: Frame },
) => {
  const t = texts().users.list;
  const signIn = (text: string) => <a href={`${home}/sign-in`}>{text}</a>;
  return (
    <div class="sheet">
      {search !== "" && (
        <p class="empty">
          {t.noMatch} <a href={`${home}/users`}>{t.showAll}</a>
        </p>
      )}
      {search === "" && !isFirst && <p class="empty">{t.noMore}</p>}
      {search === "" && isFirst && (
        <p class="empty">{roleIncludes(role, "admin") ? t.noneForAdmin(signIn) : t.none(signIn)}</p>
      )}
    </div>
  );
};

const UserTable = ({ users, path }: { users: readonly UserRecord[]; path: string }) => {
  const { list, profile } = texts().users;
  return (
    <div class="scroll" role="region" aria-label={list.title} tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{list.user}</th>
            <th scope="col">{profile.name}</th>
            <th scope="col">{profile.roles}</th>
            <th scope="col">{profile.signsInBy}</th>
            <th scope="col">{profile.lastSignIn}</th>
            <th scope="col">{profile.since}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr>
              <td>
                <a href={`${path}/${user._id}`}>{userName(user)}</a> <AnonymousBadge user={user} />
                {" "}
                <DisabledBadge user={user} />
              </td>
              <td>{user.name ?? EMPTY_CELL}</td>
              <td>{(user.roles ?? []).length === 0 ? EMPTY_CELL : <RoleBadges user={user} />}</td>
              <td>
                <SignInMethods user={user} fallback={EMPTY_CELL} />
              </td>
              <td>{user.lastSignInAt ? <When at={user.lastSignInAt} /> : profile.never}</td>
              <td>
                <When at={user.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
