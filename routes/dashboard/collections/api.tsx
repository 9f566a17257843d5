import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { getProjectFacts } from "@/lib/operations/project_facts.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { publishableKeyOf } from "@/lib/projects/list_keys.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import type { Audience } from "@/openapi/project/operations.ts";
import type { PageHandler } from "../../handler.ts";
import type { StoredDocument } from "../../reference/document.ts";
import { ProjectShell } from "../components/shell.tsx";
import { pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { ApiOperation } from "./api_operation.tsx";
import { CollectionBar, collectionPath, tabPath } from "./bar.tsx";
import { PLACEHOLDERS } from "./calls.ts";
import { operationsIn } from "./collection_operations.ts";
import { loadCollectionPage } from "./collection_page.ts";

/** Shows the operation that the query selects, for an application or a server. */
export const showCalls: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { services, principal: { project: { _id: projectId } }, state: { query } } = c.var;
  const parameters = new URLSearchParams(query);
  const audience: Audience = parameters.get("for") === "server" ? "server" : "client";
  const { frame, collection } = await loadCollectionPage(c);
  const { publicUrl: serverUrl } = services.config;
  const [facts, publishableKey] = await Promise.all([
    getProjectFacts(services, projectId),
    publishableKeyOf(services, projectId),
  ]);
  const options = { audience, serverUrl, chosen: [collection.name], withoutOthers: true };
  const document = await projectDocument(facts, options) as unknown as StoredDocument;
  const operations = operationsIn(document);
  const chosen = operations.find(({ name }) => name === parameters.get("operation")) ??
    operations[0]!;
  const publishable = publishableKey ?? PLACEHOLDERS.publishable;
  return pageReply(
    <ProjectShell
      frame={frame}
      title={texts().collections.api.titleOf(collection.name)}
      current={collectionPath(frame.home, collection.name)}
    >
      <CollectionBar frame={frame} collection={collection} current="api" />
      <div class="sheet">
        <Choices
          path={tabPath(frame.home, collection.name, "api")}
          names={operations.map(({ name }) => name)}
          current={chosen.name}
          audience={audience}
        />
        <KeyNote collection={collection} audience={audience} />
        <ApiOperation
          operation={chosen}
          collectionName={collection.name}
          audience={audience}
          serverUrl={serverUrl}
          apiKey={audience === "server" ? PLACEHOLDERS.secret : publishable}
          schemas={document.components.schemas}
        />
      </div>
    </ProjectShell>,
  );
};

const AUDIENCES: readonly Audience[] = ["client", "server"];

const Choices = (
  { path, names, current, audience }: {
    path: string;
    names: readonly string[];
    current: string;
    audience: Audience;
  },
) => {
  const t = texts().collections.api;
  const address = (operation: string, whom: Audience) =>
    `${path}?${new URLSearchParams({ operation, ...(whom === "server" && { for: whom }) })}`;
  return (
    <>
      <nav class="pills" aria-label={t.keys}>
        {AUDIENCES.map((one) => (
          <a
            href={address(current, one)}
            aria-current={one === audience ? "page" : undefined}
          >
            {t.audiences[one]}
          </a>
        ))}
      </nav>
      <nav class="pills" aria-label={t.operationsLabel}>
        {names.map((name) => (
          <a href={address(name, audience)} aria-current={name === current ? "page" : undefined}>
            {t.operations[name] ?? name}
          </a>
        ))}
      </nav>
    </>
  );
};

const KeyNote = (
  { collection: { rls }, audience }: { collection: CollectionDefinition; audience: Audience },
) => {
  const { notes } = texts().collections.api;
  if (audience === "server") return <p class="muted">{notes.server}</p>;
  const note = rls.enabled ? notes.rowRules : notes.noRowRules;
  return <p class="muted">{note((text) => <a href="/docs" hx-boost="false">{text}</a>)}</p>;
};
