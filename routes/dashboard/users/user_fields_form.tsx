import type { Child } from "hono/jsx";
import type { UserRecord } from "@/lib/auth/users.ts";
import {
  AVATAR_URL_LENGTH_MAX,
  PERSON_NAME_LENGTH_MAX,
  USERNAME_LENGTH_MAX,
} from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { declaredValues } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { areaHtml, Refusal } from "../components/forms.tsx";
import { enteredEntries } from "../documents/entered.ts";
import { Fields } from "../documents/fields.tsx";
import type { Targets } from "../documents/references.ts";
import { texts } from "../texts/mod.ts";
import {
  locateRefusal,
  readUser,
  toEnteredUser,
  type UserMember,
  type UserRefusal,
} from "./user_form.ts";

export interface UserFormProps {
  /** Stored user, or null for a new one. */
  readonly user: UserRecord | null;
  readonly declared: readonly UserField[];
  readonly targets: Targets;
  readonly passwordLengthMin: number;
  /** Refused form, or null. */
  readonly typed: { readonly form: URLSearchParams; readonly problem: Problem } | null;
}

export const UserInputs = (props: UserFormProps) => {
  const { user, declared, targets, typed } = props;
  const refusal = locateRefusal(typed?.problem ?? null, declared);
  const form = typed?.form ?? new URLSearchParams();
  const stored = user === null ? {} : declaredValues(declared, user.fields);
  const entries = enteredEntries({ definition: { fields: declared } }, stored, form);
  return (
    <>
      <Refusal problem={refusal.rest} />
      <BuiltInInputs {...props} refusal={refusal} />
      {entries.length > 0 && (
        <>
          <h2 class="part">{texts().users.form.declared}</h2>
          <Fields
            entries={entries}
            faults={refusal.faults}
            targets={targets}
            isNew={false}
            owner={null}
            isReadOnly={false}
          />
        </>
      )}
    </>
  );
};

const BuiltInInputs = (
  { user, passwordLengthMin, typed, refusal }: UserFormProps & { refusal: UserRefusal },
) => {
  const t = texts().users.form;
  const entered = typed === null ? toEnteredUser(user) : readUser(typed.form);
  const hasPassword = user !== null && user.passwordHash !== null;
  const first = user === null && refusal.at.size === 0 ? "email" : [...refusal.at.keys()][0];
  const common = (name: UserMember) => ({
    id: `user-${name}`,
    name,
    ...(name === first && { autofocus: true }),
    ...(refusal.at.has(name) && {
      "aria-invalid": "true" as const,
      "aria-describedby": `user-${name}-fault`,
    }),
  });
  const line = { autocomplete: "off", spellcheck: false } as const;
  const row = (name: UserMember, label: string, note: string, input: Child) => (
    <Row name={name} label={label} note={note} fault={refusal.at.get(name)}>{input}</Row>
  );
  return (
    <div class="members">
      {row("email", t.email, "", <input value={entered.email} {...line} {...common("email")} />)}
      {row(
        "emailVerified",
        t.verified,
        user === null ? "" : t.verifiedHint,
        <input
          type="checkbox"
          role="switch"
          {...common("emailVerified")}
          checked={entered.emailVerified}
        />,
      )}
      {row(
        "password",
        t.password,
        t.passwordHint(passwordLengthMin),
        <input
          type="password"
          autocomplete="new-password"
          placeholder={hasPassword ? t.passwordKeep : t.noPassword}
          {...common("password")}
        />,
      )}
      {row(
        "name",
        t.name,
        "",
        <input
          value={entered.name}
          maxlength={PERSON_NAME_LENGTH_MAX}
          {...line}
          {...common("name")}
        />,
      )}
      {row(
        "username",
        t.username,
        t.usernameHint,
        <input
          value={entered.username}
          maxlength={USERNAME_LENGTH_MAX}
          {...line}
          {...common("username")}
        />,
      )}
      {row(
        "avatarUrl",
        t.picture,
        t.pictureHint,
        <input
          value={entered.avatarUrl}
          inputmode="url"
          maxlength={AVATAR_URL_LENGTH_MAX}
          {...line}
          {...common("avatarUrl")}
        />,
      )}
      {row(
        "roles",
        t.roles,
        t.rolesHint,
        <input
          value={entered.roles}
          placeholder={t.rolesSample}
          {...line}
          {...common("roles")}
        />,
      )}
      {user !== null && row(
        "claims",
        t.claims,
        t.claimsHint,
        <textarea class="mono" rows={2} spellcheck={false} placeholder="{}" {...common("claims")}>
          {areaHtml(entered.claims)}
        </textarea>,
      )}
    </div>
  );
};

const Row = (
  { name, label, note, fault, children }: {
    name: UserMember;
    label: string;
    note: string;
    fault: string | undefined;
    children?: Child;
  },
) => (
  <div class="member">
    <label for={`user-${name}`}>
      {label} {note !== "" && <small>{note}</small>}
    </label>
    {children}
    {fault !== undefined && <p class="member-fault" id={`user-${name}-fault`}>{fault}</p>}
  </div>
);
