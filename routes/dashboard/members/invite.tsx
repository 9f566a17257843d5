import { INVITATION_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { SentInvitation } from "@/lib/projects/invite.ts";
import { CopyField, Field, Refusal } from "../components/forms.tsx";

/** What was typed to invite somebody. */
export interface Typed {
  readonly email: string;
  readonly role: string;
}

const DAYS = INVITATION_MS / 86_400_000;

/** The link of an invitation, in the answer that made it: it is in no address of ours. */
export const FreshLink = ({ sent: { email, role, url, mailed } }: { sent: SentInvitation }) => (
  <div class="note good" role="status">
    <CopyField label={`Link for ${email}`} value={url} />
    <span>
      {mailed
        ? "A mail with it is on its way to this address. It is shown this once: copy it now if you " +
          "want to hand it over yourself, too."
        : "No mail is sent. It is shown this once: copy it now, and hand it over yourself."}{" "}
      {role === "owner"
        ? `The project becomes theirs when they accept; until then nothing changes.`
        : `Whoever has it becomes a member by accepting it, with whatever account.`}{" "}
      It works once, for {DAYS} days.
    </span>
  </div>
);

export const Invite = (
  { path, typed, problem, mails }: {
    path: string;
    typed: Typed | undefined;
    problem: Problem | null;
    /** Whether mail can be sent. */
    mails: boolean;
  },
) => (
  <article class="card">
    <h2>Invite</h2>
    <p>
      {mails
        ? "They get a mail with a link, which you get, too."
        : "You get a link to hand over; no mail is sent."}{" "}
      They are a member when they accept it, signed in.
    </p>
    <form method="post" action={path}>
      <Refusal problem={problem} />
      <Field
        label="E-mail"
        name="email"
        type="email"
        value={typed?.email ?? ""}
        autocomplete="off"
        required
      />
      <label>
        Role
        <select name="role">
          <option value="viewer">viewer, reads everything</option>
          <option value="admin" {...(typed?.role === "admin" && { selected: true })}>
            admin, changes everything, too
          </option>
        </select>
      </label>
      <button>Invite</button>
    </form>
  </article>
);
