import { createAccountToken, type ShownAccountToken } from "@/lib/accounts/manage_tokens.ts";
import { ACCOUNT_TOKEN_DAYS_DEFAULT, ACCOUNT_TOKEN_DAYS_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ShownProject } from "@/lib/projects/shown_project.ts";
import { counted } from "@/lib/text/amounts.ts";
import { Ask, Choice, CopyField, Field, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

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
export const Tokens = ({ path, tokens, projects, fresh, entered, problem }: TokensProps) => (
  <article class="card">
    <h2>Personal access tokens</h2>
    <p>
      With one of them a program works on your projects as you may, from anywhere: the command line,
      a deployment. None changes your account itself.
    </p>
    {fresh !== null && (
      <div class="note good" role="status">
        <CopyField label={`Token ${fresh.name}`} value={fresh.token} />
        <span>It is shown this once: copy it now.</span>
      </div>
    )}
    <Refusal problem={problem} />
    <ul class="rows">
      {tokens.map((token) => <TokenRow token={token} path={path} projects={projects} />)}
    </ul>
    <details class="reveal" {...(entered !== null && { open: true })}>
      <summary>Create a token</summary>
      <NewToken path={path} projects={projects} entered={entered ?? NOTHING_ENTERED} />
    </details>
  </article>
);

const TokenRow = (
  { token, path, projects }: {
    token: ShownAccountToken;
    path: string;
    projects: readonly ShownProject[];
  },
) => (
  <li>
    <span class="grow">
      <b>{token.name}</b>{" "}
      <span class="badge">{token.access === "read" ? "reads" : "reads and writes"}</span>
      <small>
        <span class="mono">…{token.lastFour}</span>
        {` · ${projectsText(token, projects)} · `}
        {token.lastUsedAt === null ? "never used" : (
          <>
            used <When at={token.lastUsedAt} />
          </>
        )}
        {" · expires "}
        <When at={token.expiresAt} />
      </small>
    </span>
    <Ask
      label="Delete"
      action={`${path}/tokens/${token.id}`}
      loss="Whatever works with this token is refused at once."
      button={`Delete ${token.name}`}
    />
  </li>
);

/** The names of those in which the account has a part; how many others there are. */
function projectsText(
  { projects: named }: ShownAccountToken,
  projects: readonly ShownProject[],
): string {
  if (named === "all") return "all projects";
  const names = projects.filter(({ projectId }) => named.includes(projectId))
    .map(({ name }) => name);
  const others = named.length - names.length;
  return [...names, ...(others > 0 ? [counted(others, "other project")] : [])].join(", ");
}

const NewToken = (
  { path, projects, entered }: {
    path: string;
    projects: readonly ShownProject[];
    entered: EnteredToken;
  },
) => (
  <form method="post" action={`${path}/tokens`}>
    <Field
      label="What it is for"
      name="name"
      value={entered.name}
      placeholder="Deployment"
      autocomplete="off"
      required
    />
    <fieldset class="switches">
      <legend>Access</legend>
      <Choice name="access" value="read" isOn={entered.access === "read"} label="Read">
        It changes nothing, spends nothing and sees no secret.
      </Choice>
      <Choice name="access" value="write" isOn={entered.access === "write"} label="Read and write">
        It does what you may: keys, members and deletion too, where you are an admin or the owner.
      </Choice>
    </fieldset>
    <fieldset class="switches">
      <legend>Projects</legend>
      <Choice name="reach" value="all" isOn={entered.reach === "all"} label="All of mine">
        Those to come, too. Only such a token creates projects.
      </Choice>
      <Choice name="reach" value="some" isOn={entered.reach === "some"} label="These">
        {projects.length === 0 ? "You have none so far." : "Tick at least one."}
      </Choice>
      {projects.map(({ projectId, name }) => (
        <label>
          <input
            type="checkbox"
            name="project"
            value={projectId}
            {...(entered.ticked.includes(projectId) && { checked: true })}
          />
          {name}
        </label>
      ))}
    </fieldset>
    <Field
      label="Days until it expires"
      name="expiresInDays"
      value={entered.days}
      inputmode="numeric"
      hint={`From 1 to ${ACCOUNT_TOKEN_DAYS_MAX}.`}
      required
    />
    <button>Create token</button>
  </form>
);
