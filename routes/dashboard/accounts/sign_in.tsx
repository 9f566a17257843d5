import { readSessionCookie, sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { signOutAccount } from "@/lib/accounts/end_account_sessions.ts";
import { registerAccount } from "@/lib/accounts/register_account.ts";
import { signInAccount } from "@/lib/accounts/sign_in.ts";
import { PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { signedIn, visitor } from "../../accounts/sign_in.ts";
import type { Handler } from "../../call.ts";
import { Field, PASSWORD_HINT, Refusal } from "../components/forms.tsx";
import { Plain } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { nextPath } from "../next.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";

interface Visit {
  readonly email?: string;
  readonly name?: string;
  readonly next: string;
  readonly problem?: Problem;
}

const nextOf = (query: string): string => nextPath(new URLSearchParams(query).get("next"));

export const showSignIn: Handler<null> = ({ query }) =>
  pageReply(<SignInPage next={nextOf(query)} query={query} />);

export const signIn: Handler<null> = async (call) => {
  const form = await call.form();
  const email = form.get("email") ?? "";
  const next = nextPath(form.get("next"));
  const given = { email, password: form.get("password") ?? "" };
  const tried = await attempt(() => signInAccount(call.services, given, visitor(call)));
  if (tried.problem === null) return signedIn(call, tried.value, seeOther(next));
  const page = <SignInPage email={email} next={next} problem={tried.problem} />;
  return pageReply(page, { status: tried.problem.status });
};

export const showRegister: Handler<null> = ({ query }) =>
  pageReply(<RegisterPage next={nextOf(query)} />);

export const register: Handler<null> = async (call) => {
  const form = await call.form();
  const email = form.get("email") ?? "";
  const name = form.get("name") ?? "";
  const next = nextPath(form.get("next"));
  const given = { email, name: name === "" ? null : name, password: form.get("password") ?? "" };
  const tried = await attempt(() => registerAccount(call.services, given, visitor(call)));
  if (tried.problem === null) return signedIn(call, tried.value, seeOther(next));
  const page = <RegisterPage email={email} name={name} next={next} problem={tried.problem} />;
  return pageReply(page, { status: tried.problem.status });
};

export const signOut: Handler<null> = async ({ services, header }) => {
  const token = readSessionCookie(services.cookies, header("cookie"));
  if (token !== null) await signOutAccount(services, token);
  return seeOther("/dashboard/sign-in", [sessionCookie(services.cookies, null)]);
};

const DONE = { deleted: "Your account is deleted." };

/** Whoever comes by the link of an invitation sees it once they are signed in. */
const Invited = ({ next }: { next: string }) =>
  next.startsWith("/dashboard/invitations/")
    ? <p>You are invited to a project: you see it once you are signed in.</p>
    : null;

/** What both forms begin with. */
const Begun = ({ email = "", next, problem }: Visit) => (
  <>
    <Refusal problem={problem ?? null} />
    <input type="hidden" name="next" value={next} />
    <Field
      label="E-mail"
      name="email"
      type="email"
      value={email}
      autocomplete="username"
      required
      autofocus
    />
  </>
);

const SignInPage = ({ query = "", ...visit }: Visit & { query?: string }) => (
  <Plain title="Sign in">
    <h1>Sign in</h1>
    <Invited next={visit.next} />
    <DoneNote query={query} sentences={DONE} />
    <form method="post" action="/dashboard/sign-in">
      <Begun {...visit} />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <button>Sign in</button>
    </form>
    <p>
      New here? <a href={withNext("/dashboard/register", visit.next)}>Create an account</a>
    </p>
  </Plain>
);

const RegisterPage = ({ name = "", ...visit }: Visit) => (
  <Plain title="Create an account">
    <h1>Create an account</h1>
    <Invited next={visit.next} />
    <form method="post" action="/dashboard/register">
      <Begun {...visit} />
      <Field label="Name (optional)" name="name" value={name} autocomplete="name" />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength={PASSWORD_LENGTH_MIN}
        hint={PASSWORD_HINT}
        required
      />
      <button>Create account</button>
    </form>
    <p>
      Have one? <a href={withNext("/dashboard/sign-in", visit.next)}>Sign in</a>
    </p>
  </Plain>
);

const withNext = (path: string, next: string): string =>
  next === "/dashboard" ? path : `${path}?${new URLSearchParams({ next })}`;
