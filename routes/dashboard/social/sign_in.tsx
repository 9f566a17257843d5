import { changeProject } from "@/lib/projects/change_project.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import { listProviders, setProvider } from "@/lib/social/manage_providers.ts";
import { knownProvider } from "@/lib/social/providers.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ProviderInput } from "@/openapi/schemas/provider.ts";
import type { Call, Handler } from "../../call.ts";
import { Done, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { type EnteredProvider, ProviderCard } from "./provider_card.tsx";

/** What a form was refused with. */
interface Refused {
  readonly site?: { readonly siteUrl: string; readonly problem: Problem };
  readonly provider?: EnteredProvider & { readonly name: string };
}

const pathOf = ({ principal }: Call<ProjectMember>): string =>
  `${homeOf(principal.project._id)}/sign-in`;

export const showSignInSettings: Handler<ProjectMember> = async (call) =>
  pageReply(await signInPage(call));

/** The address of a form, looked at again later. */
export const backToSignIn: Handler<ProjectMember> = (call) => seeOther(pathOf(call));

export const saveSiteUrlByForm: Handler<ProjectMember> = async (call) => {
  const siteUrl = (await call.form()).get("siteUrl") ?? "";
  const { services, principal } = call;
  const { problem } = await attempt(() =>
    changeProject(services, principal.project._id, { siteUrl: siteUrl === "" ? null : siteUrl })
  );
  if (problem === null) return seeOther(`${pathOf(call)}?done=site`);
  const page = await signInPage(call, { site: { siteUrl, problem } });
  return pageReply(page, { status: problem.status });
};

export const saveProviderByForm: Handler<ProjectMember> = async (call) => {
  const form = await call.form();
  const { services, principal } = call;
  const name = knownProvider(call.param("provider"));
  const entered = {
    enabled: form.has("enabled"),
    clientId: form.get("clientId") ?? "",
    linking: form.get("linking") ?? "",
  };
  const body = { ...entered, clientSecret: form.get("clientSecret") ?? "" };
  const { problem } = await attempt(() =>
    setProvider(services, principal.project._id, name, parseInput(ProviderInput, body))
  );
  if (problem === null) return seeOther(`${pathOf(call)}?done=${name}#${name}`);
  const page = await signInPage(call, { provider: { ...entered, name, problem } });
  return pageReply(page, { status: problem.status });
};

async function signInPage(call: Call<ProjectMember>, refused: Refused = {}) {
  const { services, principal, queryText: query } = call;
  const { _id: projectId, siteUrl } = principal.project;
  const [frame, providers] = await Promise.all([
    loadFrame(services, principal),
    listProviders(services, projectId),
  ]);
  const page = pathOf(call);
  const done = new URLSearchParams(query).get("done");
  const mayChange = includes(frame.role, "admin");
  return (
    <ProjectShell frame={frame} title="Sign-in" current={page}>
      <Bar title="Sign-in" />
      <div class="sheet">
        <SiteCard
          page={page}
          siteUrl={refused.site?.siteUrl ?? siteUrl ?? ""}
          mayChange={mayChange}
          isSaved={done === "site"}
          problem={refused.site?.problem ?? null}
        />
        {providers.map((settings) => (
          <ProviderCard
            settings={settings}
            about={services.providers.find(settings.provider)}
            page={page}
            mayChange={mayChange}
            hasSite={siteUrl !== null}
            isSaved={done === settings.provider}
            entered={refused.provider?.name === settings.provider ? refused.provider : null}
          />
        ))}
        {mayChange && siteUrl !== null && providers.some(({ enabled }) => enabled) && (
          <p class="muted">
            “Try it” signs you in as a user of this project, as your site would, and shows who that
            is. The session it opens is ended at once; the user stays.
          </p>
        )}
      </div>
    </ProjectShell>
  );
}

interface SiteCardProps {
  readonly page: string;
  readonly siteUrl: string;
  readonly mayChange: boolean;
  readonly isSaved: boolean;
  readonly problem: Problem | null;
}

const SiteCard = ({ page, siteUrl, mayChange, isSaved, problem }: SiteCardProps) => (
  <article class="card">
    <h2>Site URL</h2>
    <p>
      Users come back to <span class="mono">/auth/callback</span>{" "}
      on this address after signing in. Without one nobody can sign in.
    </p>
    {isSaved && <Done>Saved.</Done>}
    {mayChange
      ? (
        <form method="post" action={page}>
          <Refusal problem={problem} />
          <div class="copy">
            <input
              name="siteUrl"
              value={siteUrl}
              aria-label="Site URL"
              placeholder="https://app.example"
              inputmode="url"
              autocomplete="off"
            />
            <button>Save</button>
          </div>
        </form>
      )
      : <span class="mono">{siteUrl === "" ? "none" : siteUrl}</span>}
  </article>
);
