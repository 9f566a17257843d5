import { type IssuedToken, issueTestToken } from "@/lib/auth/issue_token.ts";
import { endSession, endSessionsOf } from "@/lib/auth/end_sessions.ts";
import { listSessions } from "@/lib/auth/list_sessions.ts";
import { changeManagedUser, deleteUser, findUser } from "@/lib/users/manage_users.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import { requiredId } from "@/lib/ids.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { publishableKeyOf } from "@/lib/projects/list_keys.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { readPaging } from "../paging.tsx";
import { pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { AnonymousBadge, DisabledBadge, Profile, userName } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { TestToken } from "./test_token.tsx";
import { userManagement } from "./user_management.ts";

const ROWS = 20;

const usersPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/users`;

const requireUserId = (c: PageContext<ProjectMember, "id">): Id =>
  requiredId(c.req.valid("param").id);

export const showUser: PageHandler<ProjectMember, "id"> = (c) => userPage(c, null);

/** Creates a test token. The reply itself shows it, because it must not be in an address. */
export const createTestTokenByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const { services, principal } = c.var;
  return await userPage(c, await issueTestToken(services, principal, requireUserId(c)));
};

async function userPage(c: PageContext<ProjectMember, "id">, fresh: IssuedToken | null) {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const paging = readPaging(query, ROWS);
  const user = await findUser(services, projectId, requireUserId(c));
  const path = `${usersPath(c)}/${user._id}`;
  const [frame, declared, publishableKey, sessions] = await Promise.all([
    loadFrame(services, principal),
    services.userFields.ofProject(projectId),
    publishableKeyOf(services, projectId),
    listSessions(services, { projectId, userId: user._id, sessionId: null }, paging),
  ]);
  const canChange = roleIncludes(frame.role, "admin");
  const t = texts().users;
  return pageReply(
    <ProjectShell frame={frame} title={userName(user)} current={usersPath(c)}>
      <Bar title={userName(user)}>
        <AnonymousBadge user={user} />
        <DisabledBadge user={user} />
        <span class="grow"></span>
        {canChange && <a role="button" class="quiet" href={`${path}/edit`}>{t.edit}</a>}
        <a href={usersPath(c)}>{t.all}</a>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        <Profile user={user} declared={declared} />
        <Sessions
          page={sessions}
          path={path}
          canChange={canChange}
          isFirst={paging.cursor === undefined}
        />
        {canChange && !user.disabled && (
          <TestToken
            action={`${path}/test-token`}
            fresh={fresh}
            publicUrl={services.config.publicUrl}
            publishableKey={publishableKey}
          />
        )}
        {canChange && <AccessCard user={user} path={path} />}
      </div>
    </ProjectShell>,
  );
}

const setDisabled = (disabled: boolean): PageHandler<ProjectMember, "id"> => async (c) => {
  const userId = requireUserId(c);
  const { services } = c.var;
  await changeManagedUser(services, userManagement(c), {
    userId,
    changes: { disabled, fields: {} },
  });
  return seeOther(`${usersPath(c)}/${userId}?done=${disabled ? "disabled" : "enabled"}`);
};

export const disableUserByForm = setDisabled(true);
export const enableUserByForm = setDisabled(false);

export const endSessionsByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const { services, principal } = c.var;
  const { _id } = await findUser(services, principal.project._id, requireUserId(c));
  await endSessionsOf(services, principal.project._id, _id);
  return seeOther(`${usersPath(c)}/${_id}?done=ended`);
};

/** Ends a session. Does not fail if it has already ended. */
export const endSessionByForm: PageHandler<ProjectMember, "id" | "sessionId"> = async (c) => {
  const { services, principal } = c.var;
  const userId = requireUserId(c);
  const sessionId = requiredId(c.req.valid("param").sessionId);
  await endSession(services, principal.project._id, { sessionId, userId });
  return seeOther(`${usersPath(c)}/${userId}?done=session-ended`);
};

export const deleteUserByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  await deleteUser(c.var.services, userManagement(c), requireUserId(c));
  return seeOther(`${usersPath(c)}?done=deleted`);
};

const AccessCard = ({ user, path }: { user: UserRecord; path: string }) => {
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
            <ConfirmForm
              label={t.disable}
              loss={t.disableLoss}
              action={`${path}/disable`}
              button={t.disableNow}
            />
          )}
        <ConfirmForm
          label={t.delete}
          loss={t.deleteLoss}
          action={`${path}/delete`}
          button={t.deleteNow}
        />
      </div>
    </article>
  );
};
