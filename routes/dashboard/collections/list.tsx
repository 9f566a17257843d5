import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { createCollection, listCollections } from "@/lib/documents/save_collection.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { AccessBadge, collectionPath, tabPath } from "./bar.tsx";
import { CollectionsTabs } from "./collections_tabs.tsx";

const SAMPLE = "posts";

interface RefusedName {
  readonly name: string;
  readonly problem: Problem;
}

export const showCollections: PageHandler<ProjectMember> = async (c) =>
  pageReply(await collectionsPage(c));

export const createCollectionByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const name = (await c.var.body.form()).get("name") ?? "";
  const { _id } = principal.project;
  const result = await attempt(() => createCollection(services, _id, parseDefinition({ name })));
  if (result.problem === null) {
    return seeOther(`${tabPath(homeOf(_id), name, "fields")}?done=created`);
  }
  const page = await collectionsPage(c, { name, problem: result.problem });
  return pageReply(page, { status: result.problem.status });
};

async function collectionsPage(c: PageContext<ProjectMember>, entered?: RefusedName) {
  const { services, principal, state: { query } } = c.var;
  const [frame, collections] = await Promise.all([
    loadFrame(services, principal),
    listCollections(services, principal.project._id),
  ]);
  const canEdit = roleIncludes(principal.role, "admin");
  const path = `${frame.home}/collections`;
  const t = texts().collections;
  return (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <CollectionsTabs home={frame.home} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {canEdit && <NewCollection path={path} entered={entered} home={frame.home} />}
        {collections.length === 0
          ? <p class="empty">{canEdit ? t.empty.admin : t.empty.viewer}</p>
          : <CollectionTable frame={frame} collections={collections} />}
      </div>
    </ProjectShell>
  );
}

const NewCollection = (
  { path, home, entered }: { path: string; home: string; entered: RefusedName | undefined },
) => {
  const t = texts().collections.create;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about((text) => <a href={`${home}/ai/designer`}>{text}</a>)}</p>
      <form method="post" action={path}>
        <Refusal problem={entered?.problem ?? null} />
        <Field
          label={t.name}
          name="name"
          value={entered?.name ?? ""}
          placeholder={SAMPLE}
          autocomplete="off"
          required
          autofocus
        />
        <button>{t.submit}</button>
      </form>
    </article>
  );
};

const CollectionTable = (
  { frame, collections }: { frame: Frame; collections: readonly CollectionDefinition[] },
) => {
  const t = texts().collections.table;
  const counts = new Map(frame.collections.map(({ name, count }) => [name, count]));
  return (
    <div class="scroll" role="region" aria-label={texts().collections.title} tabindex={0}>
      <table class="snug">
        <thead>
          <tr>
            <th scope="col">{t.collection}</th>
            <th scope="col">{t.access}</th>
            <th scope="col" class="num">{t.documents}</th>
            <th scope="col">{t.fields}</th>
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
                <a href={tabPath(frame.home, name, "fields")}>{t.fieldCount(fields.length)}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
