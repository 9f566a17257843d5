import { type IssuedToken, issueTestToken } from "@/lib/auth/issue_token.ts";
import { endSession, endSessionsOf } from "@/lib/auth/end_sessions.ts";
import { listSessions } from "@/lib/auth/list_sessions.ts";
import { changeManagedUser, deleteUser, findUser } from "@/lib/users/manage_users.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import { requiredId } from "@/lib/ids.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { publishableKeyOf } from "@/lib/projects/shown_keys.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { pagingOf } from "../paging.tsx";
import { pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { Anonymous, calledBy, Disabled, Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { TestToken } from "./test_token.tsx";
import { withinOf } from "./within.ts";

const ROWS = 20;

const listOf = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/users`;

const userIdOf = (c: PageContext<ProjectMember, "id">): Id => requiredId(c.req.valid("param").id);

export const showUser: PageHandler<ProjectMember, "id"> = (c) => userPage(c, null);

/** The token is in the answer itself: it is shown once, and in no address. */
export const createTestTokenByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const { services, principal } = c.var;
  return await userPage(c, await issueTestToken(services, principal, userIdOf(c)));
};

async function userPage(c: PageContext<ProjectMember, "id">, fresh: IssuedToken | null) {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const paging = pagingOf(query, ROWS);
  const user = await findUser(services, projectId, userIdOf(c));
  const path = `${listOf(c)}/${user._id}`;
  const [frame, declared, publishableKey, sessions] = await Promise.all([
    loadFrame(services, principal),
    services.userFields.of(projectId),
    publishableKeyOf(services, projectId),
    listSessions(services, { projectId, userId: user._id, sessionId: null }, paging),
  ]);
  const mayChange = includes(frame.role, "admin");
  const t = texts().users;
  return pageReply(
    <ProjectShell frame={frame} title={calledBy(user)} current={listOf(c)}>
      <Bar title={calledBy(user)}>
        <Anonymous user={user} />
        <Disabled user={user} />
        <span class="grow"></span>
        {mayChange && <a role="button" class="quiet" href={`${path}/edit`}>{t.edit}</a>}
        <a href={listOf(c)}>{t.all}</a>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        <Profile user={user} declared={declared} />
        <Sessions
          page={sessions}
          path={path}
          mayChange={mayChange}
          isFirst={paging.cursor === undefined}
        />
        {mayChange && !user.disabled && (
          <TestToken
            action={`${path}/test-token`}
            fresh={fresh}
            publicUrl={services.config.publicUrl}
            publishableKey={publishableKey}
          />
        )}
        {mayChange && <Access user={user} path={path} />}
      </div>
    </ProjectShell>,
  );
}

const disabling = (disabled: boolean): PageHandler<ProjectMember, "id"> => async (c) => {
  const userId = userIdOf(c);
  const { services } = c.var;
  await changeManagedUser(services, withinOf(c), { userId, changes: { disabled, fields: {} } });
  return seeOther(`${listOf(c)}/${userId}?done=${disabled ? "disabled" : "enabled"}`);
};

export const disableUserByForm = disabling(true);
export const enableUserByForm = disabling(false);

export const endSessionsByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const { services, principal } = c.var;
  const { _id } = await findUser(services, principal.project._id, userIdOf(c));
  await endSessionsOf(services, principal.project._id, _id);
  return seeOther(`${listOf(c)}/${_id}?done=ended`);
};

/** One that has ended meanwhile is ended. */
export const endSessionByForm: PageHandler<ProjectMember, "id" | "sessionId"> = async (c) => {
  const { services, principal } = c.var;
  const userId = userIdOf(c);
  const sessionId = requiredId(c.req.valid("param").sessionId);
  await endSession(services, principal.project._id, { sessionId, userId });
  return seeOther(`${listOf(c)}/${userId}?done=session-ended`);
};

export const deleteUserByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  await deleteUser(c.var.services, withinOf(c), userIdOf(c));
  return seeOther(`${listOf(c)}?done=deleted`);
};

const Access = ({ user, path }: { user: UserRecord; path: string }) => {
  const t = texts().users.access;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <div class="acts">
        {user.disabled
          ? (
            <form method="post" action={`${path}/enable`}>
              <button class="quiet">{t.enable}</button>
            </form>
          )
          : (
            <Ask
              label={t.disable}
              loss={t.disableLoss}
              action={`${path}/disable`}
              button={t.disableNow}
            />
          )}
        <Ask
          label={t.delete}
          loss={t.deleteLoss}
          action={`${path}/delete`}
          button={t.deleteNow}
        />
      </div>
    </article>
  );
};
