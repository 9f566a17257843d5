import { type AccountTokenDetails, createAccountToken } from "@/lib/accounts/manage_tokens.ts";
import { ACCOUNT_TOKEN_DAYS_DEFAULT, ACCOUNT_TOKEN_DAYS_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectDetails } from "@/lib/projects/project_details.ts";
import { Choice, ConfirmForm, CopyField, Field, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

/** A token that has just been created, which is shown only once. */
export type FreshToken = Awaited<ReturnType<typeof createAccountToken>>;

export interface EnteredToken {
  readonly name: string;
  readonly access: string;
  /** `all`, or `some` for the ticked projects. */
  readonly reach: string;
  readonly ticked: readonly string[];
  readonly days: string;
}

const NEW_TOKEN: EnteredToken = {
  name: "",
  access: "read",
  reach: "some",
  ticked: [],
  days: String(ACCOUNT_TOKEN_DAYS_DEFAULT),
};

export function readToken(form: URLSearchParams): EnteredToken {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    access: text("access"),
    reach: text("reach"),
    ticked: form.getAll("project"),
    days: text("expiresInDays"),
  };
}

export const tokenInput = ({ name, access, reach, ticked, days }: EnteredToken): object => ({
  name,
  access,
  projects: reach === "all" ? "all" : ticked,
  expiresInDays: days === "" ? undefined : Number(days),
});

interface TokensProps {
  readonly path: string;
  readonly tokens: readonly AccountTokenDetails[];
  /** Projects that the account owns or is a member of. */
  readonly projects: readonly ProjectDetails[];
  readonly fresh: FreshToken | null;
  readonly entered: EnteredToken | null;
  readonly problem: Problem | null;
}

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
        <NewTokenForm path={path} projects={projects} entered={entered ?? NEW_TOKEN} />
      </details>
    </article>
  );
};

const TokenRow = (
  { token, path, projects }: {
    token: AccountTokenDetails;
    path: string;
    projects: readonly ProjectDetails[];
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
      <ConfirmForm
        label={texts().shared.delete}
        action={`${path}/tokens/${token.id}`}
        loss={t.deleteLoss}
        button={t.deleteNow(token.name)}
      />
    </li>
  );
};

/** Returns the names of a token's known projects and the number of the others. */
function projectsText(
  { projects: named }: AccountTokenDetails,
  projects: readonly ProjectDetails[],
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
  readonly projects: readonly ProjectDetails[];
  readonly entered: EnteredToken;
}

const NewTokenForm = ({ path, projects, entered }: NewTokenProps) => {
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
      <ProjectChoice projects={projects} entered={entered} />
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

const ProjectChoice = ({ projects, entered }: Omit<NewTokenProps, "path">) => {
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
