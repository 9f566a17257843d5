import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import { listProviders, setProvider } from "@/lib/social/manage_providers.ts";
import { checkProviderName } from "@/lib/social/providers.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { ProviderInput } from "@/openapi/schemas/provider.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal, SuccessNote } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { findHandling } from "../mail/mail_page.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { ChoiceCard } from "./choice_card.tsx";
import { type EnteredProvider, ProviderCard } from "./provider_card.tsx";
import {
  type EnteredAuth,
  readAuth,
  SignUpCard,
  toAuthInput,
  toEnteredAuth,
} from "./sign_up_card.tsx";

interface RefusedSignInForm {
  readonly site?: { readonly siteUrl: string; readonly problem: Problem };
  readonly provider?: EnteredProvider & { readonly name: string };
  readonly signUp?: { readonly auth: EnteredAuth; readonly problem: Problem };
}

const signInPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/sign-in`;

export const showSignInSettings: PageHandler<ProjectMember> = async (c) =>
  pageReply(await signInPage(c));

/** Redirects a GET of a form's address to the sign-in page. */
export const backToSignIn: PageHandler<ProjectMember> = (c) => seeOther(signInPath(c));

export const saveSiteUrlByForm: PageHandler<ProjectMember> = async (c) => {
  const siteUrl = (await c.var.body.form()).get("siteUrl") ?? "";
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    changeProject(services, principal.project._id, { siteUrl: siteUrl === "" ? null : siteUrl })
  );
  if (problem === null) return seeOther(`${signInPath(c)}?done=site`);
  const page = await signInPage(c, { site: { siteUrl, problem } });
  return pageReply(page, { status: problem.status });
};

export const saveProviderByForm: PageHandler<ProjectMember, "provider"> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const name = checkProviderName(c.req.valid("param").provider);
  const entered = {
    enabled: form.has("enabled"),
    clientId: form.get("clientId") ?? "",
    linking: form.get("linking") ?? "",
  };
  const body = { ...entered, clientSecret: form.get("clientSecret") ?? "" };
  const { problem } = await attempt(() =>
    setProvider(services, principal.project._id, name, parseInput(ProviderInput, body))
  );
  if (problem === null) return seeOther(`${signInPath(c)}?done=${name}#${name}`);
  const page = await signInPage(c, { provider: { ...entered, name, problem } });
  return pageReply(page, { status: problem.status });
};

export const saveSignUpByForm: PageHandler<ProjectMember> = async (c) => {
  const auth = readAuth(await c.var.body.form());
  const { services, principal } = c.var;
  const { problem } = await attempt(() => {
    const changes = parseInput(ProjectChanges, { auth: toAuthInput(auth) });
    return changeProject(services, principal.project._id, changes);
  });
  if (problem === null) return seeOther(`${signInPath(c)}?done=sign-up#sign-up`);
  const page = await signInPage(c, { signUp: { auth, problem } });
  return pageReply(page, { status: problem.status });
};

async function signInPage(c: PageContext<ProjectMember>, refused: RefusedSignInForm = {}) {
  const { services, principal, state: { query } } = c.var;
  const { _id: projectId, siteUrl } = principal.project;
  const [frame, providers, mail] = await Promise.all([
    loadFrame(services, principal),
    listProviders(services, projectId),
    findHandling(c),
  ]);
  const page = signInPath(c);
  const done = new URLSearchParams(query).get("done");
  const canChange = roleIncludes(frame.role, "admin");
  const { chooserProvider } = services.providers;
  const t = texts().signIn;
  const isTryable = chooserProvider !== null || providers.some(({ enabled }) => enabled);
  return (
    <ProjectShell frame={frame} title={t.title} current={page}>
      <Bar title={t.title} />
      <div class="sheet">
        <SiteCard
          page={page}
          siteUrl={refused.site?.siteUrl ?? siteUrl ?? ""}
          canChange={canChange}
          isSaved={done === "site"}
          problem={refused.site?.problem ?? null}
        />
        <SignUpCard
          action={`${page}/sign-up`}
          mailPath={`${frame.home}/mail`}
          auth={refused.signUp?.auth ?? toEnteredAuth(authSettingsOf(principal.project))}
          mail={mail}
          canChange={canChange}
          isSaved={done === "sign-up"}
          problem={refused.signUp?.problem ?? null}
        />
        {providers.map((settings) => (
          <ProviderCard
            settings={settings}
            about={services.providers.find(settings.provider)}
            page={page}
            canChange={canChange}
            hasSite={siteUrl !== null}
            isSaved={done === settings.provider}
            entered={refused.provider?.name === settings.provider ? refused.provider : null}
          />
        ))}
        {chooserProvider !== null && (
          <ChoiceCard
            {...chooserProvider}
            hasSite={siteUrl !== null}
            tryPath={canChange ? `${page}/providers/${chooserProvider.name}/try` : null}
          />
        )}
        {canChange && siteUrl !== null && isTryable && <p class="muted">{t.trying}</p>}
      </div>
    </ProjectShell>
  );
}

interface SiteCardProps {
  readonly page: string;
  readonly siteUrl: string;
  readonly canChange: boolean;
  readonly isSaved: boolean;
  readonly problem: Problem | null;
}

const SAMPLE = "https://app.example";

const SiteCard = ({ page, siteUrl, canChange, isSaved, problem }: SiteCardProps) => {
  const t = texts().signIn;
  return (
    <article class="card">
      <h2>{t.siteUrl}</h2>
      <p>{t.siteUrlIs(<span class="mono">/auth/callback</span>)}</p>
      {isSaved && <SuccessNote>{t.saved}</SuccessNote>}
      {canChange
        ? (
          <form method="post" action={page}>
            <Refusal problem={problem} />
            <div class="copy">
              <input
                name="siteUrl"
                value={siteUrl}
                aria-label={t.siteUrl}
                placeholder={SAMPLE}
                inputmode="url"
                autocomplete="off"
              />
              <button>{t.save}</button>
            </div>
          </form>
        )
        : <span class="mono">{siteUrl === "" ? t.none : siteUrl}</span>}
    </article>
  );
};
