import type { AccountRecord } from "@/lib/projects/account_records.ts";
import { PERSON_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { CodeField } from "./codes.tsx";

export interface EnteredIdentity {
  readonly name?: string;
  readonly newEmail?: string;
}

interface IdentityProps {
  readonly account: AccountRecord;
  /** Path below which the addresses of the forms are. */
  readonly path: string;
  /** Whether mails to accounts can be sent or kept. */
  readonly mails: boolean;
  /** Whether the code that was sent to the new address must be entered. */
  readonly isCodeDue: boolean;
  readonly entered: EnteredIdentity;
  readonly problems: {
    readonly name: Problem | null;
    readonly email: Problem | null;
    readonly code: Problem | null;
  };
}

export const Identity = (
  { account, path, mails, isCodeDue, entered, problems }: IdentityProps,
) => {
  const { identity: t, fields } = texts().accounts;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <form method="post" action={`${path}/name`}>
        <Refusal problem={problems.name} />
        <Field
          label={fields.name}
          name="name"
          value={entered.name ?? account.name ?? ""}
          maxlength={PERSON_NAME_LENGTH_MAX}
          autocomplete="name"
          hint={t.nameHint}
        />
        <button>{t.saveName}</button>
      </form>
      {mails && <EmailForm path={path} entered={entered} problem={problems.email} />}
      {mails && isCodeDue && <CodeForm path={path} problem={problems.code} />}
    </article>
  );
};

const EmailForm = (
  { path, entered, problem }: { path: string; entered: EnteredIdentity; problem: Problem | null },
) => {
  const { identity: t, fields } = texts().accounts;
  return (
    <form method="post" action={`${path}/email`}>
      <Refusal problem={problem} />
      <Field
        label={t.newEmail}
        name="newEmail"
        type="email"
        value={entered.newEmail ?? ""}
        autocomplete="email"
        hint={t.newEmailHint}
        required
      />
      <Field
        label={fields.currentPassword}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <button>{t.changeEmail}</button>
    </form>
  );
};

const CodeForm = ({ path, problem }: { path: string; problem: Problem | null }) => {
  const { identity: t } = texts().accounts;
  return (
    <form method="post" action={`${path}/email/confirm`}>
      <Refusal problem={problem} />
      <CodeField hint={t.codeHint} />
      <button>{t.confirm}</button>
    </form>
  );
};
