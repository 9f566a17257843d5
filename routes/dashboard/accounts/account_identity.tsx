import type { AccountRecord } from "@/lib/projects/account_records.ts";
import { PERSON_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { Field, Refusal } from "../components/forms.tsx";

/** What a form of these had when it was refused. */
export interface EnteredIdentity {
  readonly name?: string;
  readonly newEmail?: string;
}

interface IdentityProps {
  readonly account: AccountRecord;
  /** Where the forms are sent, each below it. */
  readonly path: string;
  /** Whether mails to accounts can be sent, or kept. */
  readonly mails: boolean;
  /** Whether a code was sent to the next address, and is to be entered. */
  readonly isCodeDue: boolean;
  readonly entered: EnteredIdentity;
  /** By form. */
  readonly problems: {
    readonly name: Problem | null;
    readonly email: Problem | null;
    readonly code: Problem | null;
  };
}

/** By which name and address the account is known: each changed by its form. */
export const Identity = (
  { account, path, mails, isCodeDue, entered, problems }: IdentityProps,
) => (
  <article class="card">
    <h2>Name and e-mail</h2>
    <form method="post" action={`${path}/name`}>
      <Refusal problem={problems.name} />
      <Field
        label="Name"
        name="name"
        value={entered.name ?? account.name ?? ""}
        maxlength={PERSON_NAME_LENGTH_MAX}
        autocomplete="name"
        hint="Members of your projects see it. Leave it empty to have none."
      />
      <button>Save name</button>
    </form>
    {mails && <EmailForm path={path} entered={entered} problem={problems.email} />}
    {mails && isCodeDue && <CodeForm path={path} problem={problems.code} />}
  </article>
);

const EmailForm = (
  { path, entered, problem }: { path: string; entered: EnteredIdentity; problem: Problem | null },
) => (
  <form method="post" action={`${path}/email`}>
    <Refusal problem={problem} />
    <Field
      label="New e-mail"
      name="newEmail"
      type="email"
      value={entered.newEmail ?? ""}
      autocomplete="email"
      hint="A code is sent to it. Nothing changes until you enter that."
      required
    />
    <Field
      label="Current password"
      name="password"
      type="password"
      autocomplete="current-password"
      required
    />
    <button>Change e-mail</button>
  </form>
);

const CodeForm = ({ path, problem }: { path: string; problem: Problem | null }) => (
  <form method="post" action={`${path}/email/confirm`}>
    <Refusal problem={problem} />
    <Field
      label="Code"
      name="otp"
      autocomplete="one-time-code"
      inputmode="numeric"
      hint="The six digits of the newest mail to the new e-mail."
      required
      autofocus
    />
    <button>Confirm the new e-mail</button>
  </form>
);
