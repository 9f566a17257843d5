import type { Problem } from "@/lib/problems.ts";
import type { ShownMember } from "@/lib/projects/manage_members.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

/** A member, with what whoever looks may do about them. */
export const MemberRow = (
  { path, member, viewer, problem }: {
    path: string;
    member: ShownMember;
    viewer: ProjectMember;
    problem: Problem | null;
  },
) => {
  const { email, name, role, invitedAs, createdAt } = member;
  const isSelf = member.accountId === viewer.account.accountId;
  return (
    <li>
      <Refusal problem={problem} />
      <span class="grow">
        <b>{name ?? email}</b> <span class={role === "owner" ? "badge on" : "badge"}>{role}</span>
        {isSelf && (
          <>
            {" "}
            <span class="badge">you</span>
          </>
        )}
        <small>
          {name !== null && `${email} · `}since <When at={createdAt} />
          {invitedAs !== null && invitedAs !== email && `, invited as ${invitedAs}`}
        </small>
      </span>
      {role !== "owner" && <Changes {...{ path, member, viewer, isSelf }} />}
    </li>
  );
};

const Changes = (
  { path, member, viewer, isSelf }: {
    path: string;
    member: ShownMember;
    viewer: ProjectMember;
    isSelf: boolean;
  },
) => {
  const { accountId, email } = member;
  const own = `${path}/${accountId}`;
  const mayChange = includes(viewer.role, "admin");
  return (
    <>
      {mayChange && <RoleForm action={own} member={member} />}
      {includes(viewer.role, "owner") && (
        <Ask
          label="Offer ownership"
          action={`${own}/owner`}
          loss={`When ${email} accepts, the project is theirs: that account's plan rules it, and ` +
            "only they can delete it or give it away. You stay as an admin, and cannot take it " +
            "back. Until then nothing changes, and you can withdraw the offer."}
          button={`Offer the project to ${email}`}
        />
      )}
      {isSelf && (
        <Ask
          label="Leave"
          action={`${own}/remove`}
          loss="You see nothing of this project any more, until somebody invites you again."
          button="Leave the project"
        />
      )}
      {mayChange && !isSelf && (
        <Ask
          label="Remove"
          action={`${own}/remove`}
          loss={`${email} sees nothing of this project any more. Keys they know stay good: ` +
            "rotate them on the overview."}
          button={`Remove ${email}`}
        />
      )}
    </>
  );
};

const RoleForm = ({ action, member: { email, role } }: { action: string; member: ShownMember }) => (
  <form method="post" action={action} class="inline">
    <select name="role" aria-label={`Role of ${email}`}>
      {(["viewer", "admin"] as const).map((one) => (
        <option value={one} {...(one === role && { selected: true })}>{one}</option>
      ))}
    </select>
    <button class="quiet" aria-label={`Change role of ${email}`}>Change role</button>
  </form>
);
