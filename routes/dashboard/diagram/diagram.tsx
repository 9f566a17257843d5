import { referencesIn } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { CollectionsTabs } from "../collections/collections_tabs.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { loadFrame } from "../frame.ts";
import { pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { Picture, type ReferringCollection } from "./picture.tsx";

export const showDiagram: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const [frame, definitions] = await Promise.all([
    loadFrame(services, principal),
    listCollections(services, principal.project._id),
  ]);
  const collections = definitions.map(toReferringCollection);
  const path = `${frame.home}/collections`;
  const t = texts().diagram;
  return pageReply(
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <CollectionsTabs home={frame.home} current={`${frame.home}/diagram`} />
      </Bar>
      <div class="sheet wide">
        {collections.length === 0 ? <p class="empty">{t.none}</p> : (
          <>
            <Picture collections={collections} home={frame.home} />
            <References collections={collections} home={frame.home} />
          </>
        )}
      </div>
    </ProjectShell>,
  );
};

const toReferringCollection = ({ name, fields }: CollectionDefinition): ReferringCollection => ({
  name,
  references: referencesIn(fields),
});

const ROWS_MAX = 2_000;

/** Table of all references, for people who do not see the picture and for what it leaves out. */
const References = (
  { collections, home }: { collections: readonly ReferringCollection[]; home: string },
) => {
  const t = texts().diagram;
  const all = collections.flatMap(({ name, references }) =>
    references.map((reference) => ({ name, ...reference }))
  );
  const more = all.length - ROWS_MAX;
  return (
    <details>
      <summary>{t.asTable(collections.length, all.length)}</summary>
      <table class="snug">
        <thead>
          <tr>
            <th scope="col">{t.collection}</th>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.refersTo}</th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, ROWS_MAX).map(({ name, path, collection }) => (
            <tr>
              <th scope="row">
                <a href={collectionPath(home, name)}>{name}</a>
              </th>
              <td>
                <code>{path}</code>
              </td>
              <td>{collection}</td>
            </tr>
          ))}
          {more > 0 && (
            <tr>
              <td colspan={3} class="muted">{t.more(more)}</td>
            </tr>
          )}
          {collections.filter(({ references }) => references.length === 0).map(({ name }) => (
            <tr>
              <th scope="row">
                <a href={collectionPath(home, name)}>{name}</a>
              </th>
              <td colspan={2} class="muted">{t.refersToNone}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
};
