import type { KeyKind } from "@/lib/projects/api_keys.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import type { Problem } from "@/lib/problems.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { keysMadeAt } from "@/lib/projects/projects.ts";
import { readRequestCounts } from "@/lib/projects/request_counts.ts";
import { listProviders } from "@/lib/social/manage_providers.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { pageReply } from "../replies.ts";
import { Addresses } from "./addresses.tsx";
import { Keys } from "./keys.tsx";
import { Requests } from "./requests.tsx";
import { Snippets } from "./snippets.tsx";

const DONE = {
  siteUrl: "The Site URL is saved.",
  allowedOrigins: "The allowed origins are saved.",
};

/** A key that has just been made: it is shown this once. */
export interface FreshKey {
  readonly kind: KeyKind;
  readonly key: string;
}

/** An address that was refused, with what was typed. */
export interface Refused {
  readonly member: "siteUrl" | "allowedOrigins";
  readonly text: string;
  readonly problem: Problem;
}

export const showOverview: PageHandler<ProjectMember> = async (c) =>
  pageReply(await overviewPage(c, {}));

export async function overviewPage(
  c: PageContext<ProjectMember>,
  { fresh = null, refused = null }: { fresh?: FreshKey | null; refused?: Refused | null },
) {
  const { services, principal, state: { query } } = c.var;
  const { project } = principal;
  const { _id: projectId } = project;
  const [frame, madeAt, collections, providers, counts] = await Promise.all([
    loadFrame(services, principal),
    keysMadeAt(services, projectId),
    listCollections(services, projectId),
    listProviders(services, projectId),
    readRequestCounts(services, projectId),
  ]);
  const mayChange = includes(principal.role, "admin");
  const first = frame.collections[0]?.name;
  return (
    <ProjectShell frame={frame} title="Overview" current={frame.home}>
      <Bar title="Overview">
        <span class="badge">{principal.role}</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        {first === undefined && (
          <p class="empty">
            Nothing is kept here yet. {mayChange
              ? (
                <>
                  <a href={`${frame.home}/collections`}>Make a collection</a>{" "}
                  for the first documents.
                </>
              )
              : "An admin of the project makes the first collection."}
          </p>
        )}
        <Keys home={frame.home} madeAt={madeAt} fresh={fresh} mayChange={mayChange} />
        <Addresses project={project} home={frame.home} refused={refused} mayChange={mayChange} />
        <Requests projectId={projectId} counts={counts} />
        <Snippets
          publicUrl={services.config.publicUrl}
          publishableKey={fresh?.kind === "publishable" ? fresh.key : null}
          collection={collections.find(({ name }) => name === first) ?? null}
          provider={(providers.find(({ enabled }) => enabled) ?? providers[0]!).provider}
        />
      </div>
    </ProjectShell>
  );
}
