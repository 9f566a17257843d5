import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { ProjectShell } from "../components/shell.tsx";
import { Snippet } from "../components/snippet.tsx";
import { pageReply } from "../replies.ts";
import { CollectionBar, collectionPath } from "./bar.tsx";
import { callsOf, curlOf, fetchOf, type SampleCall } from "./calls.ts";
import { loadCollectionPage } from "./collection_page.ts";

export const showCalls: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { frame, collection } = await loadCollectionPage(c);
  const calls = callsOf(collection, c.var.services.config.publicUrl);
  return pageReply(
    <ProjectShell
      frame={frame}
      title={`API of ${collection.name}`}
      current={collectionPath(frame.home, collection.name)}
    >
      <CollectionBar frame={frame} collection={collection} current="api" />
      <div class="sheet">
        <p class="muted">
          {collection.rls.enabled
            ? "YOUR_KEY is the publishable key; ACCESS_TOKEN is what a user gets by signing in."
            : "Reads take the publishable key. Writes take the secret key: make them from a server."}
          {" "}
          The <a href="/docs" hx-boost="false">reference</a> has all there is.
        </p>
        {calls.map((one) => <CallCard call={one} />)}
      </div>
    </ProjectShell>,
  );
};

const CallCard = ({ call }: { call: SampleCall }) => (
  <article class="card">
    <Snippet label={call.title} text={curlOf(call)} />
    <details>
      <summary>In JavaScript</summary>
      <Snippet label={`${call.title}, in JavaScript`} text={fetchOf(call)} />
    </details>
  </article>
);
