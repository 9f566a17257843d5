import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { createCollection, listCollections } from "@/lib/documents/save_collection.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { counted, countText } from "@/lib/text/amounts.ts";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { AccessBadge, collectionPath, tabPath } from "./bar.tsx";
import { CollectionsTabs } from "./collections_tabs.tsx";

const DONE = {
  deleted: "The collection is deleted.",
  added: "The proposed collections are there.",
};

interface Entered {
  readonly name: string;
  readonly problem: Problem;
}

export const showCollections: PageHandler<ProjectMember> = async (c) =>
  pageReply(await collectionsPage(c));

export const createCollectionByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const name = (await c.var.body.form()).get("name") ?? "";
  const { _id } = principal.project;
  const tried = await attempt(() => createCollection(services, _id, parseDefinition({ name })));
  if (tried.problem === null) {
    return seeOther(`${tabPath(homeOf(_id), name, "fields")}?done=created`);
  }
  const page = await collectionsPage(c, { name, problem: tried.problem });
  return pageReply(page, { status: tried.problem.status });
};

async function collectionsPage(c: PageContext<ProjectMember>, entered?: Entered) {
  const { services, principal, state: { query } } = c.var;
  const [frame, collections] = await Promise.all([
    loadFrame(services, principal),
    listCollections(services, principal.project._id),
  ]);
  const canEdit = includes(principal.role, "admin");
  const path = `${frame.home}/collections`;
  return (
    <ProjectShell frame={frame} title="Collections" current={path}>
      <Bar title="Collections">
        <CollectionsTabs home={frame.home} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        {canEdit && <NewCollection path={path} entered={entered} home={frame.home} />}
        {collections.length === 0
          ? <p class="empty">{canEdit ? EMPTY : EMPTY_FOR_VIEWERS}</p>
          : <CollectionTable frame={frame} collections={collections} />}
      </div>
    </ProjectShell>
  );
}

const EMPTY = "A collection holds documents of one kind, such as posts or orders. Name your first.";

const EMPTY_FOR_VIEWERS =
  "There is no collection here yet. An admin of the project makes the first.";

const NewCollection = (
  { path, home, entered }: { path: string; home: string; entered: Entered | undefined },
) => (
  <article class="card">
    <h2>New collection</h2>
    <p>
      You say what is in it on the next page, or <a href={`${home}/ai/designer`}>describe it</a>
      {" "}
      and have it designed.
    </p>
    <form method="post" action={path}>
      <Refusal problem={entered?.problem ?? null} />
      <Field
        label="Name"
        name="name"
        value={entered?.name ?? ""}
        placeholder="posts"
        autocomplete="off"
        required
        autofocus
      />
      <button>Create collection</button>
    </form>
  </article>
);

const CollectionTable = (
  { frame, collections }: { frame: Frame; collections: readonly CollectionDefinition[] },
) => {
  const counts = new Map(frame.collections.map(({ name, count }) => [name, count]));
  return (
    <div class="scroll">
      <table class="snug">
        <thead>
          <tr>
            <th scope="col">Collection</th>
            <th scope="col">Access</th>
            <th scope="col" class="num">Documents</th>
            <th scope="col">Fields</th>
          </tr>
        </thead>
        <tbody>
          {collections.map(({ name, fields, rls }) => (
            <tr>
              <th scope="row">
                <a href={collectionPath(frame.home, name)}>{name}</a>
              </th>
              <td>
                <AccessBadge rls={rls} />
              </td>
              <td class="num">{countText(counts.get(name) ?? 0)}</td>
              <td>
                <a href={tabPath(frame.home, name, "fields")}>{counted(fields.length, "field")}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
