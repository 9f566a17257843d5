import { findUser } from "@/lib/users/manage_users.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import { requiredId } from "@/lib/ids.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import { isFailureText } from "@/lib/social/failures.ts";
import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { redirect } from "../../social/redirect.ts";
import { Refusal, SuccessNote } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { Profile, providersOf } from "../users/profile.tsx";

const signInPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/sign-in`;

/** Starts a sign-in that returns to the dashboard. The member, not a key, names the project. */
export const startTrial: PageHandler<ProjectMember, "provider"> = async (c) => {
  const { services, principal: { project } } = c.var;
  const result = await attempt(() =>
    startSignIn(services, { projectId: project._id, siteUrl: project.siteUrl }, {
      provider: c.req.valid("param").provider,
      query: new URLSearchParams(),
      cookies: c.req.header("cookie") ?? null,
      trialPath: `${signInPath(c)}/tried`,
    })
  );
  if (result.problem !== null) {
    const page = await triedPage(c, { problem: result.problem });
    return pageReply(page, { status: result.problem.status });
  }
  const { location, cookie } = result.value;
  return cookie === null ? redirect(location) : redirect(location, cookie);
};

/** Shows the result of a trial. Does not show texts of the address, which may be crafted. */
export const showTried: PageHandler<ProjectMember> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const error = query.get("error");
  if (error !== null) {
    const known = isFailureText(error) ? error : texts().signIn.trial.again;
    return pageReply(await triedPage(c, { error: known }));
  }
  const { services, principal } = c.var;
  const result = await attempt(() =>
    findUser(services, principal.project._id, requiredId(query.get("userId") ?? ""))
  );
  if (result.problem !== null) {
    const page = await triedPage(c, { problem: result.problem });
    return pageReply(page, { status: result.problem.status });
  }
  const { value: user } = result;
  const signedIn = {
    user,
    provider: providersOf(user).find((provider) => provider === query.get("provider")),
    isNewUser: query.get("isNewUser") === "true",
    linkedByEmail: query.get("linkedByEmail") === "true",
  };
  return pageReply(await triedPage(c, { signedIn }));
};

interface SignedIn {
  readonly user: UserRecord;
  /** Name of the provider; undefined if the user does not have it. */
  readonly provider: string | undefined;
  readonly isNewUser: boolean;
  readonly linkedByEmail: boolean;
}

interface TrialOutcome {
  readonly signedIn?: SignedIn;
  /** Error that the project's site would have received. */
  readonly error?: string;
  readonly problem?: Problem;
}

async function triedPage(
  c: PageContext<ProjectMember>,
  { signedIn, error, problem }: TrialOutcome,
) {
  const { services, principal } = c.var;
  const frame = await loadFrame(services, principal);
  const { siteUrl } = principal.project;
  const tab = signInPath(c);
  const t = texts().signIn.trial;
  return (
    <ProjectShell frame={frame} title={t.title} current={tab}>
      <Bar title={t.title} />
      <div class="sheet">
        <Refusal problem={problem ?? null} />
        {error !== undefined && (
          <article class="card">
            <h2>{t.failed}</h2>
            <p class="note bad" role="alert">{error}.</p>
            <p>{t.why(<span class="mono">error</span>)}</p>
          </article>
        )}
        {signedIn !== undefined && (
          <>
            <SuccessNote>{t.works}</SuccessNote>
            <Profile user={signedIn.user} home={frame.home} />
            <ReturnedValues {...signedIn} projectId={frame.projectId} siteUrl={siteUrl} />
          </>
        )}
        <a role="button" class="quiet" href={tab}>{t.back}</a>
      </div>
    </ProjectShell>
  );
}

const ReturnedValues = (
  { user, provider, isNewUser, linkedByEmail, projectId, siteUrl }: SignedIn & {
    projectId: string;
    siteUrl: string | null;
  },
) => {
  const t = texts().signIn.trial;
  return (
    <article class="card">
      <h2>{t.gets}</h2>
      <p>{t.where(<span class="mono">{`${siteUrl ?? ""}/auth/callback`}</span>)}</p>
      <dl class="facts mono">
        <dt>rtCode</dt>
        <dd>{t.once}</dd>
        <dt>provider</dt>
        <dd>{provider ?? t.unknown}</dd>
        <dt>userId</dt>
        <dd>{user._id}</dd>
        <dt>projectId</dt>
        <dd>{projectId}</dd>
        <dt>isNewUser</dt>
        <dd>{String(isNewUser)}</dd>
        <dt>linkedByEmail</dt>
        <dd>{String(linkedByEmail)}</dd>
        <dt>#token</dt>
        <dd>{t.token}</dd>
      </dl>
    </article>
  );
};
