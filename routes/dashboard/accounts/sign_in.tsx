import { readSessionCookie, sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { signOutAccount } from "@/lib/accounts/end_account_sessions.ts";
import { type Admission, findAdmission } from "@/lib/accounts/registration.ts";
import { registerAccount } from "@/lib/accounts/register_account.ts";
import { signInAccount } from "@/lib/accounts/sign_in.ts";
import { PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { signedIn, visitor } from "../../accounts/accounts.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Plain } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { invitationTokenIn, nextPath } from "../next.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { FORGOTTEN } from "./codes.tsx";

interface Visit {
  readonly email?: string;
  readonly name?: string;
  readonly next: string;
  readonly problem?: Problem;
}

const nextOf = (query: string): string => nextPath(new URLSearchParams(query).get("next"));

/** Returns how the visitor may register, or null if they may not. */
async function findAdmissionOrNull(c: PageContext<null>, next: string): Promise<Admission | null> {
  const found = await attempt(() => findAdmission(c.var.services, invitationTokenIn(next)));
  return found.problem === null ? found.value : null;
}

export const showSignIn: PageHandler<null> = async (c) => {
  const { query } = c.var.state;
  const next = nextOf(query);
  const admission = await findAdmissionOrNull(c, next);
  return pageReply(<SignInPage next={next} query={query} admission={admission} />);
};

export const signIn: PageHandler<null> = async (c) => {
  const form = await c.var.body.form();
  const email = form.get("email") ?? "";
  const next = nextPath(form.get("next"));
  const given = { email, password: form.get("password") ?? "" };
  const result = await attempt(() => signInAccount(c.var.services, given, visitor(c)));
  if (result.problem === null) return signedIn(c, result.value, seeOther(next));
  const { problem } = result;
  const admission = await findAdmissionOrNull(c, next);
  const page = <SignInPage {...{ email, next, problem, admission }} />;
  return pageReply(page, { status: problem.status });
};

/** Shows the registration form, or why the visitor may not register. */
export const showRegister: PageHandler<null> = async (c) => {
  const { services, state: { query } } = c.var;
  const next = nextOf(query);
  const found = await attempt(() => findAdmission(services, invitationTokenIn(next)));
  if (found.problem === null) {
    return pageReply(<RegisterPage next={next} admission={found.value} />);
  }
  const { problem } = found;
  return pageReply(<RegisterPage {...{ next, problem }} admission={null} />, {
    status: problem.status,
  });
};

export const register: PageHandler<null> = async (c) => {
  const form = await c.var.body.form();
  const email = form.get("email") ?? "";
  const name = form.get("name") ?? "";
  const next = nextPath(form.get("next"));
  const given = {
    email,
    name: name === "" ? null : name,
    password: form.get("password") ?? "",
    invitation: invitationTokenIn(next),
  };
  const result = await attempt(() => registerAccount(c.var.services, given, visitor(c)));
  if (result.problem === null) return signedIn(c, result.value, seeOther(next));
  const { problem } = result;
  const admission = await findAdmissionOrNull(c, next);
  const page = <RegisterPage {...{ email, name, next, problem, admission }} />;
  return pageReply(page, { status: problem.status });
};

export const signOut: PageHandler<null> = async (c) => {
  const { services } = c.var;
  const token = readSessionCookie(services.cookies, c.req.header("cookie") ?? null);
  if (token !== null) await signOutAccount(services, token);
  return seeOther("/dashboard/sign-in", [sessionCookie(services.cookies, null)]);
};

/** Note for visitors with an invitation, which they see after sign-in. */
const InvitationNote = ({ next }: { next: string }) =>
  invitationTokenIn(next) !== null ? <p>{texts().accounts.signIn.invited}</p> : null;

/** Fields with which the forms for sign-in and registration begin. */
const SharedFields = ({ email = "", next, problem }: Visit) => (
  <>
    <Refusal problem={problem ?? null} />
    <input type="hidden" name="next" value={next} />
    <Field
      label={texts().accounts.fields.email}
      name="email"
      type="email"
      value={email}
      autocomplete="username"
      required
      autofocus
    />
  </>
);

interface AdmissionVisit extends Visit {
  readonly admission: Admission | null;
}

const SignInPage = ({ query = "", admission, ...visit }: AdmissionVisit & { query?: string }) => {
  const { signIn: t, fields } = texts().accounts;
  return (
    <Plain title={t.title}>
      <h1>{t.title}</h1>
      <InvitationNote next={visit.next} />
      <DoneNote query={query} sentences={t.done} />
      <form method="post" action="/dashboard/sign-in">
        <SharedFields {...visit} />
        <Field
          label={fields.password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button>{t.submit}</button>
      </form>
      <p>
        <a href={FORGOTTEN}>{t.forgotten}</a>
      </p>
      {admission !== null && <ToRegister admission={admission} next={visit.next} />}
    </Plain>
  );
};

const ToRegister = ({ admission, next }: { admission: Admission; next: string }) => {
  const t = texts().accounts.signIn;
  const sentence = admission.by === "first" ? t.noAccount : t.newHere;
  return <p>{sentence((text) => <a href={withNext("/dashboard/register", next)}>{text}</a>)}</p>;
};

const RegisterPage = ({ name = "", admission, ...visit }: AdmissionVisit & { name?: string }) => {
  const t = texts().accounts.register;
  return (
    <Plain title={t.title}>
      <h1>{t.title}</h1>
      <InvitationNote next={visit.next} />
      {admission?.by === "first" && <p>{t.first}</p>}
      {admission === null
        ? <Refusal problem={visit.problem ?? null} />
        : <RegisterForm name={name} {...visit} />}
      <p>
        {t.haveOne((text) => <a href={withNext("/dashboard/sign-in", visit.next)}>{text}</a>)}
      </p>
    </Plain>
  );
};

const RegisterForm = ({ name = "", ...visit }: Visit) => {
  const { register: t, fields } = texts().accounts;
  return (
    <form method="post" action="/dashboard/register">
      <SharedFields {...visit} />
      <Field label={t.name} name="name" value={name} autocomplete="name" />
      <Field
        label={fields.password}
        name="password"
        type="password"
        autocomplete="new-password"
        minlength={PASSWORD_LENGTH_MIN}
        hint={texts().shared.passwordHint}
        required
      />
      <button>{t.submit}</button>
    </form>
  );
};

const withNext = (path: string, next: string): string =>
  next === "/dashboard" ? path : `${path}?${new URLSearchParams({ next })}`;
