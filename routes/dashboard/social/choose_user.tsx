import type { Problem } from "@/lib/problems.ts";
import type { SelectableUser } from "@/lib/social/provider.ts";
import type { ChooserProvider } from "@/lib/social/providers.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Plain } from "../components/shell.tsx";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const CHOOSE_USER = "/dashboard/choose-user";

const readQuery = (c: PageContext<null>) => new URLSearchParams(c.var.state.query);

export const showUserChoice = (provider: ChooserProvider): PageHandler<null> => (c) => {
  provider.chooser.assertStarted(readQuery(c));
  return pageReply(<ChoicePage provider={provider} query={c.var.state.query} />);
};

/** Signs the user in. Replies with a page, because `form-action` would block a redirect. */
export const chooseUser = (provider: ChooserProvider): PageHandler<null> => async (c) => {
  const { query } = c.var.state;
  const email = ((await c.var.body.form()).get("email") ?? "").trim();
  const result = await attempt(() => Promise.resolve(provider.chooser.choose(readQuery(c), email)));
  if (result.problem === null) {
    const reply = pageReply(<ChosenPage email={email} next={result.value} />);
    return { ...reply, headers: [...reply.headers ?? [], ["refresh", `0; url=${result.value}`]] };
  }
  const { problem } = result;
  if (problem.code !== "INVALID_INPUT") throw problem;
  const page = <ChoicePage {...{ provider, query, email, problem }} />;
  return pageReply(page, { status: problem.status });
};

interface ChoiceProps {
  readonly provider: ChooserProvider;
  /** Query with which the sign-in was started. */
  readonly query: string;
  readonly email?: string;
  readonly problem?: Problem;
}

const ChoicePage = ({ provider, query, email = "", problem }: ChoiceProps) => {
  const action = `${CHOOSE_USER}?${query}`;
  const t = texts().signIn.choice;
  return (
    <Plain title={t.title}>
      <h1>{t.heading}</h1>
      <p>{t.chooseBy(provider.title)}</p>
      <form method="post" action={action} hx-boost="false" class="choices">
        {provider.chooser.users.map((user) => <UserButton user={user} />)}
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

const UserButton = ({ user: { name, email } }: { user: SelectableUser }) => (
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
