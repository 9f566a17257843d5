import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { canMailAccounts } from "@/lib/accounts/send_code.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { listAccountTokens } from "@/lib/accounts/manage_tokens.ts";
import { getOwnAccount } from "@/lib/accounts/own_account.ts";
import type { AccountRecord } from "@/lib/projects/account_records.ts";
import { getAiUsage } from "@/lib/ai/usage.ts";
import {
  ACCOUNT_TOKEN_PROJECTS_MAX,
  ACCOUNT_TOKENS_MAX,
  PASSWORD_LENGTH_MIN,
} from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { ownedProjects } from "@/lib/projects/ownership.ts";
import { type Plan, toJsonLimit } from "@/lib/projects/plans.ts";
import { listProjects } from "@/lib/projects/project_details.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { readPaging } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { type EnteredIdentity, Identity } from "./account_identity.tsx";
import { Sessions } from "./account_sessions.tsx";
import { type EnteredToken, type FreshToken, Tokens } from "./account_tokens.tsx";
import { SEND_CODE, SET_PASSWORD, VERIFY } from "./codes.tsx";

export const ACCOUNT = "/dashboard/account";
/** Page of kept mails, if the server keeps mails instead of sending them. */
export const MAILBOX = `${ACCOUNT}/mailbox`;

export interface RefusedAccountForm {
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
  readonly entered?: EnteredToken;
  readonly identity?: EnteredIdentity;
}

export const showAccount: PageHandler<SignedInAccount> = async (c) =>
  pageReply(await accountPage(c));

export const refusedAccountReply = async (
  c: PageContext<SignedInAccount>,
  refused: RefusedAccountForm,
) => pageReply(await accountPage(c, { refused }), { status: refused.problem.status });

/** Replies with the page that shows a new token. Tokens are shown once and never in an address. */
export const newTokenReply = async (c: PageContext<SignedInAccount>, fresh: FreshToken) =>
  pageReply(await accountPage(c, { fresh }));

async function accountPage(
  c: PageContext<SignedInAccount>,
  { refused, fresh = null }: { refused?: RefusedAccountForm; fresh?: FreshToken | null } = {},
) {
  const { services, principal, state: { query } } = c.var;
  const [account, projects, ai, sessions, tokens, parts, mails] = await Promise.all([
    getOwnAccount(services, principal),
    ownedProjects(services, principal),
    getAiUsage(services, principal),
    listAccountSessions(services, principal, readPaging(query)),
    listAccountTokens(services, principal, { limit: ACCOUNT_TOKENS_MAX }),
    listProjects(services, principal, { limit: ACCOUNT_TOKEN_PROJECTS_MAX }),
    canMailAccounts(services),
  ]);
  const problemOf = (form: RefusedAccountForm["form"]) =>
    refused?.form === form ? refused.problem : null;
  const plan = services.plans.named(account.plan);
  const t = texts().accounts;
  return (
    <AccountShell title={t.title} current={ACCOUNT} {...principal}>
      <Bar title={t.title}>
        <span class="badge on">{texts().shared.plan(account.plan)}</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        <AccountFacts account={account} mails={mails} keeps={services.config.mail.keeps} />
        <Identity
          account={account}
          path={ACCOUNT}
          mails={mails}
          isCodeDue={new URLSearchParams(query).get("done") === "code" || refused?.form === "code"}
          entered={refused?.identity ?? {}}
          problems={{ name: problemOf("name"), email: problemOf("email"), code: problemOf("code") }}
        />
        <PlanCard isOn={services.plans.isOn} plan={plan} projects={projects} />
        <AiCard account={account} plan={plan} usage={ai} problem={problemOf("ai-key")} />
        <PasswordCard problem={problemOf("password")} email={account.email} />
        <Sessions page={sessions} path={ACCOUNT} query={query} problem={problemOf("sessions")} />
        <Tokens
          path={ACCOUNT}
          tokens={tokens.items}
          projects={parts.items}
          fresh={fresh}
          entered={refused?.entered ?? null}
          problem={problemOf("tokens")}
        />
        <DeleteCard owned={projects.used - projects.trashed} problem={problemOf("delete")} />
      </div>
    </AccountShell>
  );
}

const AccountFacts = (
  { account, mails, keeps }: { account: AccountRecord; mails: boolean; keeps: boolean },
) => {
  const { you: t, fields } = texts().accounts;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <dl class="facts">
        <dt>{fields.email}</dt>
        <dd>
          {account.email} <VerifiedBadge isVerified={account.emailVerified ?? false} />
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
      {!account.emailVerified && <VerifyForm email={account.email} mails={mails} />}
      {keeps && <p class="muted">{t.kept((text) => <a href={MAILBOX}>{text}</a>)}</p>}
    </article>
  );
};

const VerifiedBadge = ({ isVerified }: { isVerified: boolean }) => {
  const t = texts().accounts.you;
  return isVerified
    ? <span class="badge on">{t.verified}</span>
    : <span class="badge">{t.notVerified}</span>;
};

const VerifyForm = ({ email, mails }: { email: string; mails: boolean }) => {
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

/** Card for a server without plans. */
const NoPlansCard = ({ projects: { used, limit } }: { projects: OwnedProjects }) => {
  const t = texts().accounts.plan;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.isOff}</p>
      <Meter label={t.owned} used={used} limit={toJsonLimit(limit)} />
    </article>
  );
};

type AiUsage = Awaited<ReturnType<typeof getAiUsage>>;

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
        <ConfirmForm
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
        <ConfirmForm
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
        </ConfirmForm>
      )}
    </article>
  );
};
