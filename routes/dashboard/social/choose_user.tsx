import type { Problem } from "@/lib/problems.ts";
import type { ChosenUser } from "@/lib/social/provider.ts";
import type { ChosenProvider } from "@/lib/social/providers.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Plain } from "../components/shell.tsx";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const CHOOSE_USER = "/dashboard/choose-user";

const queryOf = (c: PageContext<null>) => new URLSearchParams(c.var.state.query);

export const showUserChoice = (chosen: ChosenProvider): PageHandler<null> => (c) => {
  chosen.chooser.assertBegun(queryOf(c));
  return pageReply(<ChoicePage chosen={chosen} query={c.var.state.query} />);
};

/**
 * The page that follows leads on by itself: were it a redirect, the policy of forms would stop it at
 * the application's site.
 */
export const chooseUser = (chosen: ChosenProvider): PageHandler<null> => async (c) => {
  const { query } = c.var.state;
  const email = ((await c.var.body.form()).get("email") ?? "").trim();
  const tried = await attempt(() => Promise.resolve(chosen.chooser.choose(queryOf(c), email)));
  if (tried.problem === null) {
    const reply = pageReply(<ChosenPage email={email} next={tried.value} />);
    return { ...reply, headers: [...reply.headers ?? [], ["refresh", `0; url=${tried.value}`]] };
  }
  const { problem } = tried;
  if (problem.code !== "INVALID_INPUT") throw problem;
  const page = <ChoicePage {...{ chosen, query, email, problem }} />;
  return pageReply(page, { status: problem.status });
};

interface ChoiceProps {
  readonly chosen: ChosenProvider;
  /** What the sign-in was begun with. */
  readonly query: string;
  /** What was typed, and why it was refused. */
  readonly email?: string;
  readonly problem?: Problem;
}

const ChoicePage = ({ chosen, query, email = "", problem }: ChoiceProps) => {
  const action = `${CHOOSE_USER}?${query}`;
  const t = texts().signIn.choice;
  return (
    <Plain title={t.title}>
      <h1>{t.heading}</h1>
      <p>{t.chooseBy(chosen.title)}</p>
      <form method="post" action={action} hx-boost="false" class="choices">
        {chosen.chooser.users.map((user) => <Choice user={user} />)}
      </form>
      <form method="post" action={action} hx-boost="false">
        <Refusal problem={problem ?? null} />
        <Field
          label={t.another}
          name="email"
          type="email"
          value={email}
          required
          autocomplete="off"
          hint={t.anotherIs}
        />
        <button class="quiet">{t.signIn}</button>
      </form>
    </Plain>
  );
};

const Choice = ({ user: { name, email } }: { user: ChosenUser }) => (
  <button class="quiet" name="email" value={email}>
    {texts().signIn.choice.signInAs(name ?? email)}
    {name !== null && <small>{email}</small>}
  </button>
);

const ChosenPage = ({ email, next }: { email: string; next: string }) => {
  const t = texts().signIn.choice;
  return (
    <Plain title={t.signingIn}>
      <h1>{t.signingIn}</h1>
      <p>{t.youAre(email)}</p>
      <p>
        <a href={next} hx-boost="false">{t.goOn}</a>
      </p>
    </Plain>
  );
};
