import { INVITATION_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { SentInvitation } from "@/lib/projects/invite.ts";
import { CopyField, Field, Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";

export interface EnteredInvitation {
  readonly email: string;
  readonly role: string;
}

const DAYS = INVITATION_MS / 86_400_000;

/** Note with the link of a new invitation, which only this reply shows. */
export const InvitationLink = (
  { sent: { email, role, url, mailed } }: { sent: SentInvitation },
) => {
  const t = texts().members.link;
  return (
    <div class="note good" role="status">
      <CopyField label={t.label(email)} value={url} />
      <span>
        {mailed ? t.mailed : t.notMailed} {role === "owner" ? t.toOwner : t.toMember} {t.once(DAYS)}
      </span>
    </div>
  );
};

export const InviteCard = (
  { path, typed, problem, mails }: {
    path: string;
    typed: EnteredInvitation | undefined;
    problem: Problem | null;
    mails: boolean;
  },
) => {
  const t = texts().members.invite;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{mails ? t.aboutMailed : t.aboutLink}</p>
      <form method="post" action={path}>
        <Refusal problem={problem} />
        <Field
          label={t.email}
          name="email"
          type="email"
          value={typed?.email ?? ""}
          autocomplete="off"
          required
        />
        <label>
          {t.role}
          <select name="role">
            <option value="viewer">{t.viewer}</option>
            <option value="admin" selected={typed?.role === "admin"}>
              {t.admin}
            </option>
          </select>
        </label>
        <button>{t.submit}</button>
      </form>
    </article>
  );
};
