import { createAccountToken, type ShownAccountToken } from "@/lib/accounts/manage_tokens.ts";
import { ACCOUNT_TOKEN_DAYS_DEFAULT, ACCOUNT_TOKEN_DAYS_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ShownProject } from "@/lib/projects/shown_project.ts";
import { Ask, Choice, CopyField, Field, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

/** A token that has just been made: it is shown this once. */
export type FreshToken = Awaited<ReturnType<typeof createAccountToken>>;

/** What the form of a new token has. */
export interface EnteredToken {
  readonly name: string;
  readonly access: string;
  /** `all`, or `some`: those that are ticked. */
  readonly reach: string;
  readonly ticked: readonly string[];
  readonly days: string;
}

const NOTHING_ENTERED: EnteredToken = {
  name: "",
  access: "read",
  reach: "some",
  ticked: [],
  days: String(ACCOUNT_TOKEN_DAYS_DEFAULT),
};

export function typedToken(form: URLSearchParams): EnteredToken {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    access: text("access"),
    reach: text("reach"),
    ticked: form.getAll("project"),
    days: text("expiresInDays"),
  };
}

/** As the contract of the operation takes it. */
export const tokenInput = ({ name, access, reach, ticked, days }: EnteredToken): object => ({
  name,
  access,
  projects: reach === "all" ? "all" : ticked,
  expiresInDays: days === "" ? undefined : Number(days),
});

interface TokensProps {
  readonly path: string;
  readonly tokens: readonly ShownAccountToken[];
  /** In which the account has a part. */
  readonly projects: readonly ShownProject[];
  readonly fresh: FreshToken | null;
  readonly entered: EnteredToken | null;
  readonly problem: Problem | null;
}

/** By what programs act for the account, with what makes and deletes it. */
export const Tokens = ({ path, tokens, projects, fresh, entered, problem }: TokensProps) => {
  const t = texts().accounts.tokens;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      {fresh !== null && (
        <div class="note good" role="status">
          <CopyField label={t.fresh(fresh.name)} value={fresh.token} />
          <span>{t.once}</span>
        </div>
      )}
      <Refusal problem={problem} />
      <ul class="rows">
        {tokens.map((token) => <TokenRow token={token} path={path} projects={projects} />)}
      </ul>
      <details class="reveal" open={entered !== null}>
        <summary>{t.create}</summary>
        <NewToken path={path} projects={projects} entered={entered ?? NOTHING_ENTERED} />
      </details>
    </article>
  );
};

const TokenRow = (
  { token, path, projects }: {
    token: ShownAccountToken;
    path: string;
    projects: readonly ShownProject[];
  },
) => {
  const t = texts().accounts.tokens;
  return (
    <li>
      <span class="grow">
        <b>{token.name}</b> <span class="badge">{t.access[token.access]}</span>
        <small>
          <span class="mono">…{token.lastFour}</span>
          {` · ${projectsText(token, projects)} · `}
          {token.lastUsedAt === null ? t.neverUsed : t.used(<When at={token.lastUsedAt} />)}
          {" · "}
          {t.expires(<When at={token.expiresAt} />)}
        </small>
      </span>
      <Ask
        label={texts().shared.delete}
        action={`${path}/tokens/${token.id}`}
        loss={t.deleteLoss}
        button={t.deleteNow(token.name)}
      />
    </li>
  );
};

/** The names of those in which the account has a part; how many others there are. */
function projectsText(
  { projects: named }: ShownAccountToken,
  projects: readonly ShownProject[],
): string {
  const t = texts().accounts.tokens;
  if (named === "all") return t.allProjects;
  const names = projects.filter(({ projectId }) => named.includes(projectId))
    .map(({ name }) => name);
  const others = named.length - names.length;
  return [...names, ...(others > 0 ? [t.otherProjects(others)] : [])].join(", ");
}

interface NewTokenProps {
  readonly path: string;
  readonly projects: readonly ShownProject[];
  readonly entered: EnteredToken;
}

const NewToken = ({ path, projects, entered }: NewTokenProps) => {
  const t = texts().accounts.tokens.form;
  return (
    <form method="post" action={`${path}/tokens`}>
      <Field
        label={t.name}
        name="name"
        value={entered.name}
        placeholder={t.nameSample}
        autocomplete="off"
        required
      />
      <fieldset class="switches">
        <legend>{t.access}</legend>
        <Choice name="access" value="read" isOn={entered.access === "read"} label={t.read}>
          {t.readHint}
        </Choice>
        <Choice name="access" value="write" isOn={entered.access === "write"} label={t.write}>
          {t.writeHint}
        </Choice>
      </fieldset>
      <Reach projects={projects} entered={entered} />
      <Field
        label={t.days}
        name="expiresInDays"
        value={entered.days}
        inputmode="numeric"
        hint={t.daysHint(ACCOUNT_TOKEN_DAYS_MAX)}
        required
      />
      <button>{t.submit}</button>
    </form>
  );
};

/** On which projects a new token works. */
const Reach = ({ projects, entered }: Omit<NewTokenProps, "path">) => {
  const t = texts().accounts.tokens.form;
  return (
    <fieldset class="switches">
      <legend>{t.projects}</legend>
      <Choice name="reach" value="all" isOn={entered.reach === "all"} label={t.all}>
        {t.allHint}
      </Choice>
      <Choice name="reach" value="some" isOn={entered.reach === "some"} label={t.some}>
        {projects.length === 0 ? t.noProjects : t.someHint}
      </Choice>
      {projects.map(({ projectId, name }) => (
        <label>
          <input
            type="checkbox"
            name="project"
            value={projectId}
            checked={entered.ticked.includes(projectId)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
};
