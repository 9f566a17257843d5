import { Field, Refusal } from "../components/forms.tsx";
import type { Refused } from "./members.tsx";

/** What was typed for a member to be. */
export interface Invitation {
  readonly email: string;
  readonly role: string;
}

export const Invite = ({ path, refused }: { path: string; refused: Refused | undefined }) => {
  const typed = refused?.invitation;
  return (
    <article class="card">
      <h2>Invite</h2>
      <p>They need an account here first. They are a member at once; no mail is sent.</p>
      <form method="post" action={path}>
        <Refusal problem={typed === undefined ? null : refused!.problem} />
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
};
