import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { canMailAccounts } from "@/lib/accounts/send_code.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { listAccountTokens } from "@/lib/accounts/manage_tokens.ts";
import { ownAccount } from "@/lib/accounts/own_account.ts";
import type { AccountRecord } from "@/lib/projects/account_records.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import {
  ACCOUNT_TOKEN_PROJECTS_MAX,
  ACCOUNT_TOKENS_MAX,
  PASSWORD_LENGTH_MIN,
} from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { ownedProjects } from "@/lib/projects/ownership.ts";
import { type Plan, shownLimit } from "@/lib/projects/plans.ts";
import { listProjects } from "@/lib/projects/shown_project.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { pagingOf } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { type EnteredIdentity, Identity } from "./account_identity.tsx";
import { Sessions } from "./account_sessions.tsx";
import { type EnteredToken, type FreshToken, Tokens } from "./account_tokens.tsx";
import { SEND_CODE, SET_PASSWORD, VERIFY } from "./codes.tsx";

export const ACCOUNT = "/dashboard/account";
/** Where mails are only kept. */
export const MAILBOX = `${ACCOUNT}/mailbox`;

/** A form of this page that was refused. */
export interface Refused {
  readonly form:
    | "name"
    | "email"
    | "code"
    | "password"
    | "sessions"
    | "tokens"
    | "ai-key"
    | "delete";
  readonly problem: Problem;
  /** What the form of a new token had. */
  readonly entered?: EnteredToken;
  /** What the form of the name, or of the next e-mail, had. */
  readonly identity?: EnteredIdentity;
}

export const showAccount: PageHandler<SignedInAccount> = async (c) =>
  pageReply(await accountPage(c));

export const refusedAccount = async (c: PageContext<SignedInAccount>, refused: Refused) =>
  pageReply(await accountPage(c, { refused }), { status: refused.problem.status });

/** The token is in the answer that made it: it is shown once, and is in no address. */
export const accountWithToken = async (c: PageContext<SignedInAccount>, fresh: FreshToken) =>
  pageReply(await accountPage(c, { fresh }));

async function accountPage(
  c: PageContext<SignedInAccount>,
  { refused, fresh = null }: { refused?: Refused; fresh?: FreshToken | null } = {},
) {
  const { services, principal, state: { query } } = c.var;
  const [account, projects, ai, sessions, tokens, parts, mails] = await Promise.all([
    ownAccount(services, principal),
    ownedProjects(services, principal),
    aiUsage(services, principal),
    listAccountSessions(services, principal, pagingOf(query)),
    listAccountTokens(services, principal, { limit: ACCOUNT_TOKENS_MAX }),
    listProjects(services, principal, { limit: ACCOUNT_TOKEN_PROJECTS_MAX }),
    canMailAccounts(services),
  ]);
  const of = (form: Refused["form"]) => refused?.form === form ? refused.problem : null;
  const plan = services.plans.named(account.plan);
  const t = texts().accounts;
  return (
    <AccountShell title={t.title} current={ACCOUNT} {...principal}>
      <Bar title={t.title}>
        <span class="badge on">{texts().shared.plan(account.plan)}</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        <About account={account} mails={mails} keeps={services.config.mail.keeps} />
        <Identity
          account={account}
          path={ACCOUNT}
          mails={mails}
          isCodeDue={new URLSearchParams(query).get("done") === "code" || refused?.form === "code"}
          entered={refused?.identity ?? {}}
          problems={{ name: of("name"), email: of("email"), code: of("code") }}
        />
        <PlanCard isOn={services.plans.isOn} plan={plan} projects={projects} />
        <AiCard account={account} plan={plan} usage={ai} problem={of("ai-key")} />
        <PasswordCard problem={of("password")} email={account.email} />
        <Sessions page={sessions} path={ACCOUNT} query={query} problem={of("sessions")} />
        <Tokens
          path={ACCOUNT}
          tokens={tokens.items}
          projects={parts.items}
          fresh={fresh}
          entered={refused?.entered ?? null}
          problem={of("tokens")}
        />
        <DeleteCard owned={projects.used - projects.trashed} problem={of("delete")} />
      </div>
    </AccountShell>
  );
}

const About = (
  { account, mails, keeps }: { account: AccountRecord; mails: boolean; keeps: boolean },
) => {
  const { you: t, fields } = texts().accounts;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <dl class="facts">
        <dt>{fields.email}</dt>
        <dd>
          {account.email} <Verified isVerified={account.emailVerified ?? false} />
        </dd>
        {account.name !== null && (
          <>
            <dt>{fields.name}</dt>
            <dd>{account.name}</dd>
          </>
        )}
        <dt>{t.registered}</dt>
        <dd>
          <When at={account.createdAt} />
        </dd>
      </dl>
      {!account.emailVerified && <Verify email={account.email} mails={mails} />}
      {keeps && <p class="muted">{t.kept((text) => <a href={MAILBOX}>{text}</a>)}</p>}
    </article>
  );
};

const Verified = ({ isVerified }: { isVerified: boolean }) => {
  const t = texts().accounts.you;
  return isVerified
    ? <span class="badge on">{t.verified}</span>
    : <span class="badge">{t.notVerified}</span>;
};

const Verify = ({ email, mails }: { email: string; mails: boolean }) => {
  const t = texts().accounts.you;
  if (!mails) return <p class="muted">{t.noMail(<code>{SET_PASSWORD}</code>)}</p>;
  const page = `${VERIFY}?${new URLSearchParams({ purpose: "verify", email })}`;
  return (
    <form method="post" action={SEND_CODE}>
      <p>{t.prove((text) => <a href={page}>{text}</a>)}</p>
      <input type="hidden" name="purpose" value="verify" />
      <input type="hidden" name="email" value={email} />
      <button>{t.sendCode}</button>
    </form>
  );
};

type OwnedProjects = Awaited<ReturnType<typeof ownedProjects>>;

const PlanCard = (
  { isOn, plan, projects }: { isOn: boolean; plan: Plan; projects: OwnedProjects },
) => {
  const t = texts().accounts.plan;
  if (!isOn) return <NoPlansCard projects={projects} />;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.yours(plan.name)}</p>
      <Meter label={t.owned} used={projects.used} limit={projects.limit} />
      {projects.trashed > 0 && <p class="muted">{t.trashed(projects.trashed)}</p>}
      <dl class="facts">
        <dt>{t.ofProject}</dt>
        <dd>{t.project(plan)}</dd>
        <dt>{t.ofFile}</dt>
        <dd>{t.file(bytesText(plan.fileBytesMax))}</dd>
        <dt>{t.ofAi}</dt>
        <dd>{t.ai(plan)}</dd>
        <dt>{t.ownAiKey}</dt>
        <dd>{plan.ownAiKey ? t.yes : t.no}</dd>
      </dl>
    </article>
  );
};

/** Where plans limit nothing. */
const NoPlansCard = ({ projects: { used, limit } }: { projects: OwnedProjects }) => {
  const t = texts().accounts.plan;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.isOff}</p>
      <Meter label={t.owned} used={used} limit={shownLimit(limit)} />
    </article>
  );
};

type AiUsage = Awaited<ReturnType<typeof aiUsage>>;

const AiCard = (
  { account, plan, usage, problem }: {
    account: AccountRecord;
    plan: Plan;
    usage: AiUsage;
    problem: Problem | null;
  },
) => {
  const hasKey = account.sealedAiKey !== null;
  const t = texts().accounts.ai;
  return (
    <article class="card">
      <h2>
        {t.title} <span class={hasKey ? "badge on" : "badge"}>{hasKey ? t.keySet : t.noKey}</span>
      </h2>
      <p>{t.about(<When at={usage.resetsAt} />)}</p>
      <Meter label={t.queries} {...usage.queries} />
      <Meter label={t.designs} {...usage.designs} />
      <Meter label={t.turns} {...usage.turns} />
      <AiKey hasKey={hasKey} isAllowed={plan.ownAiKey} problem={problem} />
    </article>
  );
};

const AiKey = (
  { hasKey, isAllowed, problem }: {
    hasKey: boolean;
    isAllowed: boolean;
    problem: Problem | null;
  },
) => {
  const t = texts().accounts.ai;
  return (
    <>
      <Refusal problem={problem} />
      {!isAllowed && <p>{t.notInPlan} {hasKey && t.keptKey}</p>}
      {isAllowed && (
        <form method="post" action={`${ACCOUNT}/ai-key`}>
          <Field
            label={hasKey ? t.otherKey : t.ownKey}
            name="aiKey"
            type="password"
            autocomplete="off"
            hint={t.keyHint}
            required
          />
          <button>{hasKey ? t.replace : t.save}</button>
        </form>
      )}
      {hasKey && (
        <Ask
          label={t.clear}
          action={`${ACCOUNT}/ai-key/clear`}
          loss={t.clearLoss}
          button={t.clear}
        />
      )}
    </>
  );
};

const PasswordCard = ({ problem, email }: { problem: Problem | null; email: string }) => {
  const { password: t, fields } = texts().accounts;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <form method="post" action={`${ACCOUNT}/password`}>
        <Refusal problem={problem} />
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <Field
          label={fields.currentPassword}
          name="currentPassword"
          type="password"
          autocomplete="current-password"
          required
        />
        <Field
          label={fields.newPassword}
          name="newPassword"
          type="password"
          autocomplete="new-password"
          minlength={PASSWORD_LENGTH_MIN}
          hint={texts().shared.passwordHint}
          required
        />
        <button>{t.change}</button>
      </form>
    </article>
  );
};

const DeleteCard = ({ owned, problem }: { owned: number; problem: Problem | null }) => {
  const t = texts().accounts.deletion;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <Refusal problem={problem} />
      {owned > 0 && <p>{t.owned(owned, (text) => <a href="/dashboard">{text}</a>)}</p>}
      {owned === 0 && (
        <Ask
          label={t.title}
          action={`${ACCOUNT}/delete`}
          loss={t.loss}
          button={t.submit}
          open={problem !== null}
        >
          <Field
            label={t.password}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
        </Ask>
      )}
    </article>
  );
};
