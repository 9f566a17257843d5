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
import { bytesText, counted, countText } from "@/lib/text/amounts.ts";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { pagingOf } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { type EnteredIdentity, Identity } from "./account_identity.tsx";
import { Sessions } from "./account_sessions.tsx";
import { type EnteredToken, type FreshToken, Tokens } from "./account_tokens.tsx";
import { SEND_CODE, VERIFY } from "./codes.tsx";

export const ACCOUNT = "/dashboard/account";
/** Where mails are only kept. */
export const MAILBOX = `${ACCOUNT}/mailbox`;

const DONE = {
  verified: "Your e-mail is verified.",
  name: "Your name is saved.",
  code: "If no other account has this e-mail, a code is on its way to it.",
  email: "Your e-mail is changed.",
  password: "Your password is changed. All other devices are signed out.",
  session: "The session is ended.",
  sessions: "All other sessions are ended.",
  token: "The token is deleted.",
  "ai-key": "The AI key is stored.",
  "ai-key-cleared": "The AI key is cleared.",
};

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
  const isCodeDue = new URLSearchParams(query).get("done") === "code";
  return (
    <AccountShell title="Account" current={ACCOUNT} {...principal}>
      <Bar title="Account">
        <span class="badge on">{account.plan} plan</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        <About account={account} mails={mails} keeps={services.config.mail.keeps} />
        <Identity
          account={account}
          path={ACCOUNT}
          mails={mails}
          isCodeDue={isCodeDue || refused?.form === "code"}
          entered={refused?.identity ?? {}}
          problems={{ name: of("name"), email: of("email"), code: of("code") }}
        />
        {services.plans.isOn ? <PlanCard plan={plan} projects={projects} /> : (
          <article class="card">
            <h2>Plan</h2>
            <p>Plans limit nothing on this server.</p>
            <Meter label="Projects you own" {...projects} limit={shownLimit(projects.limit)} />
          </article>
        )}
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
) => (
  <article class="card">
    <h2>You</h2>
    <dl class="facts">
      <dt>E-mail</dt>
      <dd>
        {account.email} <Verified isVerified={account.emailVerified ?? false} />
      </dd>
      {account.name !== null && (
        <>
          <dt>Name</dt>
          <dd>{account.name}</dd>
        </>
      )}
      <dt>Registered</dt>
      <dd>
        <When at={account.createdAt} />
      </dd>
    </dl>
    {!account.emailVerified && <Verify email={account.email} mails={mails} />}
    {keeps && (
      <p class="muted">
        Mails are not sent here, but kept: those to you are in <a href={MAILBOX}>your mailbox</a>.
      </p>
    )}
  </article>
);

const Verified = ({ isVerified }: { isVerified: boolean }) => (
  <span class={isVerified ? "badge on" : "badge"}>{isVerified ? "verified" : "not verified"}</span>
);

const Verify = ({ email, mails }: { email: string; mails: boolean }) =>
  mails
    ? (
      <form method="post" action={SEND_CODE}>
        <p>
          A code proves that it is yours. Have you got one?{" "}
          <a href={`${VERIFY}?${new URLSearchParams({ purpose: "verify", email })}`}>Enter it</a>.
        </p>
        <input type="hidden" name="purpose" value="verify" />
        <input type="hidden" name="email" value={email} />
        <button>Send a code</button>
      </form>
    )
    : (
      <p class="muted">
        This server sends no mail, so addresses are not verified. If you forget your password,
        whoever runs it sets another one by <code>deno task admin account password</code>.
      </p>
    );

const PlanCard = (
  { plan, projects }: {
    plan: Plan;
    projects: { used: number; limit: number; trashed: number };
  },
) => {
  return (
    <article class="card">
      <h2>Plan</h2>
      <p>You have the {plan.name} plan. Whoever runs this server changes it.</p>
      <Meter label="Projects you own" used={projects.used} limit={projects.limit} />
      {projects.trashed > 0 && (
        <p class="muted">
          {counted(projects.trashed, "project")} of them in the trash.
        </p>
      )}
      <dl class="facts">
        <dt>In each project</dt>
        <dd>
          {counted(plan.collections, "collection")}, {bytesText(plan.documentBytes)} of documents,
          {" "}
          {bytesText(plan.storageBytes)} of files
        </dd>
        <dt>One file</dt>
        <dd>up to {bytesText(plan.fileBytesMax)}</dd>
        <dt>AI each month</dt>
        <dd>
          {countText(plan.aiQueriesPerMonth)} queries, {counted(plan.aiDesignsPerMonth, "design")}
          {" "}
          of collections, {counted(plan.aiTurnsPerMonth, "turn")} with their creator
        </dd>
        <dt>Your own AI key</dt>
        <dd>{plan.ownAiKey ? "yes" : "no"}</dd>
      </dl>
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
  return (
    <article class="card">
      <h2>
        AI <span class={hasKey ? "badge on" : "badge"}>{hasKey ? "key set" : "no key"}</span>
      </h2>
      <p>
        Requests with this server's key are counted. The count starts again{" "}
        <When at={usage.resetsAt} />.
      </p>
      <Meter label="Queries this month" {...usage.queries} />
      <Meter label="Designs this month" {...usage.designs} />
      <Meter label="Turns with the creator this month" {...usage.turns} />
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
) => (
  <>
    <Refusal problem={problem} />
    {!isAllowed && (
      <p>
        Bring your own key (Pro): no monthly limit.
        {hasKey && " Yours is kept, and used again once your plan allows it."}
      </p>
    )}
    {isAllowed && (
      <form method="post" action={`${ACCOUNT}/ai-key`}>
        <Field
          label={hasKey ? "Another key in its place" : "Your own key"}
          name="aiKey"
          type="password"
          autocomplete="off"
          hint="From Groq; it begins with gsk_. It is stored sealed, and never shown again."
          required
        />
        <button>{hasKey ? "Replace key" : "Save key"}</button>
      </form>
    )}
    {hasKey && (
      <Ask
        label="Clear the key"
        action={`${ACCOUNT}/ai-key/clear`}
        loss="Your requests count against the plan's caps again. The key cannot be brought back."
        button="Clear the key"
      />
    )}
  </>
);

const PasswordCard = ({ problem, email }: { problem: Problem | null; email: string }) => (
  <article class="card">
    <h2>Password</h2>
    <p>A new password signs out all devices but this one. Personal access tokens stay.</p>
    <form method="post" action={`${ACCOUNT}/password`}>
      <Refusal problem={problem} />
      <input type="hidden" name="username" autocomplete="username" value={email} />
      <Field
        label="Current password"
        name="currentPassword"
        type="password"
        autocomplete="current-password"
        required
      />
      <Field
        label="New password"
        name="newPassword"
        type="password"
        autocomplete="new-password"
        minlength={PASSWORD_LENGTH_MIN}
        hint={texts().shared.passwordHint}
        required
      />
      <button>Change password</button>
    </form>
  </article>
);

const DeleteCard = ({ owned, problem }: { owned: number; problem: Problem | null }) => (
  <article class="card">
    <h2>Delete account</h2>
    <Refusal problem={problem} />
    {owned > 0 && (
      <p>
        You own <a href="/dashboard">{counted(owned, "project")}</a>: delete them, or offer them to
        {" "}
        another member, first.
      </p>
    )}
    {owned === 0 && (
      <Ask
        label="Delete account"
        action={`${ACCOUNT}/delete`}
        loss={"Your account, its sessions and tokens, its AI key and your part in the projects of others are " +
          "gone at once, and cannot be brought back."}
        button="Delete my account"
        open={problem !== null}
      >
        <Field
          label="Your password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
      </Ask>
    )}
  </article>
);
