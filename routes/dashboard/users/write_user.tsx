import type { UserRecord } from "@/lib/auth/users.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { changeManagedUser, createManagedUser, findUser } from "@/lib/users/manage_users.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Conflict, isConflict } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { loadTargets } from "../documents/references.ts";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { userName } from "./profile.tsx";
import { UserInputs } from "./user_fields_form.tsx";
import { readNewUser, readUserChanges } from "./user_form.ts";
import { userManagement } from "./user_management.ts";

type Context = PageContext<ProjectMember>;

interface RefusedUser {
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

const usersPath = (c: Context): string => `${homeOf(c.var.principal.project._id)}/users`;

export const showNewUser: PageHandler<ProjectMember> = async (c) =>
  pageReply(await userPage(c, null, null));

export const createUserByForm: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const declared = await services.userFields.ofProject(principal.project._id);
  const result = await attempt(async () =>
    await createManagedUser(services, userManagement(c), readNewUser(declared, form))
  );
  if (result.problem === null) return seeOther(`${usersPath(c)}/${result.value._id}?done=created`);
  const page = await userPage(c, null, { form, problem: result.problem });
  return pageReply(page, { status: result.problem.status });
};

export const showUserForm: PageHandler<ProjectMember, "id"> = async (c) =>
  pageReply(await userPage(c, await loadUser(c), null));

export const changeUserByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const [user, declared] = await Promise.all([
    loadUser(c),
    services.userFields.ofProject(principal.project._id),
  ]);
  const { problem } = await attempt(async () => {
    if ((form.get("over") ?? form.get("seen") ?? user.updatedAt) !== user.updatedAt) {
      throw new Problem("PRECONDITION_FAILED");
    }
    const changes = readUserChanges(user, declared, form);
    if (changes === null) return;
    await changeManagedUser(services, userManagement(c), { userId: user._id, changes });
  });
  if (problem === null) return seeOther(`${usersPath(c)}/${user._id}?done=changed`);
  return pageReply(await userPage(c, user, { form, problem }), { status: problem.status });
};

const loadUser = (c: PageContext<ProjectMember, "id">): Promise<UserRecord> =>
  findUser(c.var.services, c.var.principal.project._id, requiredId(c.req.valid("param").id));

/** Renders the form of a user. @param user Stored user, or null for a new one. */
async function userPage(c: Context, user: UserRecord | null, typed: RefusedUser | null) {
  const { services, principal } = c.var;
  const [frame, declared] = await Promise.all([
    loadFrame(services, principal),
    services.userFields.ofProject(principal.project._id),
  ]);
  const targets = await loadTargets(c, declared, null);
  const { passwordLengthMin } = userManagement(c).auth;
  const list = usersPath(c);
  const path = user === null ? list : `${list}/${user._id}`;
  const t = texts().users.form;
  const title = user === null ? t.create : userName(user);
  const isOld = typed !== null && isConflict(typed.problem);
  const inputs = { user, declared, targets, passwordLengthMin };
  return (
    <ProjectShell frame={frame} title={title} current={list}>
      <Bar title={title} />
      <div class="sheet">
        <form
          class="document-form"
          method="post"
          action={user === null ? `${path}/new` : `${path}/edit`}
        >
          {/* Enter presses the first button of a form, which must not overwrite a conflict. */}
          <button hidden></button>
          {user !== null && (
            <input type="hidden" name="seen" value={typed?.form.get("seen") ?? user.updatedAt} />
          )}
          {isOld && <Conflict what="user" here={path} now={user?.updatedAt ?? null} />}
          <UserInputs {...inputs} typed={typed} />
          <p class="muted">{user === null ? t.noMail : t.endsSessions}</p>
          <div class="acts">
            <button aria-keyshortcuts="Control+S Meta+S">
              {user === null ? t.createNow : t.save}
            </button>
            <a role="button" class="quiet" href={path}>{t.back}</a>
          </div>
        </form>
      </div>
    </ProjectShell>
  );
}
