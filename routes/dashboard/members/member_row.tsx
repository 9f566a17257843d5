import type { Problem } from "@/lib/problems.ts";
import type { MemberDetails } from "@/lib/projects/manage_members.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

export const MemberRow = (
  { path, member, viewer, problem }: {
    path: string;
    member: MemberDetails;
    viewer: ProjectMember;
    problem: Problem | null;
  },
) => {
  const { email, name, role, invitedAs, createdAt } = member;
  const isSelf = member.accountId === viewer.account.accountId;
  const { members: { list: t }, shared: { roles } } = texts();
  const since = <When at={createdAt} />;
  return (
    <li>
      <Refusal problem={problem} />
      <span class="grow">
        <b>{name ?? email}</b>{" "}
        <span class={role === "owner" ? "badge on" : "badge"}>{roles[role]}</span>
        {isSelf && (
          <>
            {" "}
            <span class="badge">{t.you}</span>
          </>
        )}
        <small>
          {name !== null && `${email} · `}
          {invitedAs === null || invitedAs === email
            ? t.since(since)
            : t.sinceInvited(since, invitedAs)}
        </small>
      </span>
      {role !== "owner" && <Changes {...{ path, member, viewer, isSelf }} />}
    </li>
  );
};

const Changes = (
  { path, member, viewer, isSelf }: {
    path: string;
    member: MemberDetails;
    viewer: ProjectMember;
    isSelf: boolean;
  },
) => {
  const { accountId, email } = member;
  const own = `${path}/${accountId}`;
  const canChange = roleIncludes(viewer.role, "admin");
  const { offer, leave, remove } = texts().members;
  return (
    <>
      {canChange && <RoleForm action={own} member={member} />}
      {roleIncludes(viewer.role, "owner") && (
        <ConfirmForm
          label={offer.label}
          action={`${own}/owner`}
          loss={offer.loss(email)}
          button={offer.submit(email)}
        />
      )}
      {isSelf && (
        <ConfirmForm
          label={leave.label}
          action={`${own}/remove`}
          loss={leave.loss}
          button={leave.submit}
        />
      )}
      {canChange && !isSelf && (
        <ConfirmForm
          label={remove.label}
          action={`${own}/remove`}
          loss={remove.loss(email)}
          button={remove.submit(email)}
        />
      )}
    </>
  );
};

const RoleForm = (
  { action, member: { email, role } }: { action: string; member: MemberDetails },
) => {
  const { members: { role: t }, shared: { roles } } = texts();
  return (
    <form method="post" action={action} class="inline">
      <select name="role" aria-label={t.of(email)}>
        {(["viewer", "admin"] as const).map((one) => (
          <option value={one} selected={one === role}>{roles[one]}</option>
        ))}
      </select>
      <button class="quiet" aria-label={t.changeOf(email)}>{t.change}</button>
    </form>
  );
};
