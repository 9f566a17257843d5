import type { UserRecord } from "@/lib/auth/users.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { changeManagedUser, createManagedUser, findUser } from "@/lib/users/manage_users.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Conflict, isConflict } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { targetsOf } from "../documents/references.ts";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { calledBy } from "./profile.tsx";
import { UserMembers } from "./user_fields_form.tsx";
import { newUserIn, userChangesIn } from "./user_form.ts";
import { withinOf } from "./within.ts";

type Context = PageContext<ProjectMember>;

/** What was sent and refused. */
interface Typed {
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

const listOf = (c: Context): string => `${homeOf(c.var.principal.project._id)}/users`;

export const showNewUser: PageHandler<ProjectMember> = async (c) =>
  pageReply(await userPage(c, null, null));

export const createUserByForm: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const declared = await services.userFields.of(principal.project._id);
  const tried = await attempt(async () =>
    await createManagedUser(services, withinOf(c), newUserIn(declared, form))
  );
  if (tried.problem === null) return seeOther(`${listOf(c)}/${tried.value._id}?done=created`);
  const page = await userPage(c, null, { form, problem: tried.problem });
  return pageReply(page, { status: tried.problem.status });
};

export const showUserForm: PageHandler<ProjectMember, "id"> = async (c) =>
  pageReply(await userPage(c, await userOf(c), null));

export const changeUserByForm: PageHandler<ProjectMember, "id"> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const [user, declared] = await Promise.all([
    userOf(c),
    services.userFields.of(principal.project._id),
  ]);
  const { problem } = await attempt(async () => {
    if ((form.get("over") ?? form.get("seen") ?? user.updatedAt) !== user.updatedAt) {
      throw new Problem("PRECONDITION_FAILED");
    }
    const changes = userChangesIn(user, declared, form);
    if (changes === null) return;
    await changeManagedUser(services, withinOf(c), { userId: user._id, changes });
  });
  if (problem === null) return seeOther(`${listOf(c)}/${user._id}?done=changed`);
  return pageReply(await userPage(c, user, { form, problem }), { status: problem.status });
};

const userOf = (c: PageContext<ProjectMember, "id">): Promise<UserRecord> =>
  findUser(c.var.services, c.var.principal.project._id, requiredId(c.req.valid("param").id));

/** @param user Null for one that is still to be made. */
async function userPage(c: Context, user: UserRecord | null, typed: Typed | null) {
  const { services, principal } = c.var;
  const [frame, declared] = await Promise.all([
    loadFrame(services, principal),
    services.userFields.of(principal.project._id),
  ]);
  const targets = await targetsOf(c, declared, null);
  const { passwordLengthMin } = withinOf(c).auth;
  const list = listOf(c);
  const path = user === null ? list : `${list}/${user._id}`;
  const t = texts().users.form;
  const title = user === null ? t.create : calledBy(user);
  const isOld = typed !== null && isConflict(typed.problem);
  const shown = { user, declared, targets, passwordLengthMin };
  return (
    <ProjectShell frame={frame} title={title} current={list}>
      <Bar title={title} />
      <div class="sheet">
        <form
          class="document-form"
          method="post"
          action={user === null ? `${path}/new` : `${path}/edit`}
        >
          {/* Enter presses the first button of a form, and that overwrites nothing. */}
          <button hidden></button>
          {user !== null && (
            <input type="hidden" name="seen" value={typed?.form.get("seen") ?? user.updatedAt} />
          )}
          {isOld && <Conflict what="user" here={path} now={user?.updatedAt ?? null} />}
          <UserMembers {...shown} typed={typed} />
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
