import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { definitionTags, updateCollection } from "@/lib/documents/save_collection.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageHandler } from "../../handler.ts";
import { Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { DurationNote } from "./duration_note.tsx";
import { CollectionBar, collectionPath, tabPath } from "./bar.tsx";
import { type CollectionPage, loadCollectionPage } from "./collection_page.ts";
import { withFlag } from "./indexes.ts";
import { IndexCard } from "./index_card.tsx";
import { AccessChoices, choiceOf } from "./access_choices.tsx";

/** A refused form, which `act` identifies. */
interface RefusedAccess {
  readonly act: string;
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

export const showAccess: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const page = await loadCollectionPage(c);
  return pageReply(<AccessPage page={page} query={c.var.state.query} />);
};

/** Changes of the page's forms by the button's value, with the word for the success note. */
const CHANGES: Readonly<
  Record<string, {
    readonly done: string;
    change(collection: CollectionDefinition, form: URLSearchParams): object;
  }>
> = {
  save: { done: "saved", change: withAccess },
  index: {
    done: "indexed",
    change: (collection, form) =>
      withFlag(
        collection,
        form.get("field") ?? "",
        form.has("unique") ? { unique: true } : { index: true },
      ),
  },
  drop: {
    done: "dropped",
    change: (collection, form) =>
      withFlag(
        collection,
        form.get("field") ?? "",
        form.has("unique") ? { unique: false } : { index: false },
      ),
  },
};

export const changeAccess: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const page = await loadCollectionPage(c);
  const { frame, collection } = page;
  const asked = form.get("act") ?? "save";
  const act = Object.hasOwn(CHANGES, asked) ? asked : "save";
  const { change, done } = CHANGES[act]!;
  const seen = form.get("over") ?? form.get("tag");
  const result = await attempt(() =>
    updateCollection(c.var.services, frame.projectId, parseDefinition(change(collection, form)), {
      ...definitionTags(collection),
      ...(seen !== null && { rls: seen }),
    })
  );
  if (result.problem === null) {
    return seeOther(`${tabPath(frame.home, collection.name, "access")}?done=${done}`);
  }
  const { problem } = result;
  return pageReply(<AccessPage page={page} refused={{ act, form, problem }} />, {
    status: problem.status,
  });
};

function withAccess(collection: CollectionDefinition, form: URLSearchParams): object {
  const choice = form.get("access");
  const ownerField = form.get("ownerField") ?? collection.rls.ownerField;
  const rls = choice === "off"
    ? { ...collection.rls, ownerField, enabled: false }
    : { enabled: true, mode: choice, ownerField };
  return { ...collection, rls };
}

const AccessPage = (
  { page, refused, query = "" }: { page: CollectionPage; refused?: RefusedAccess; query?: string },
) => {
  const { frame, collection } = page;
  const t = texts().collections.access;
  const isIndexing = refused !== undefined && refused.act !== "save";
  return (
    <ProjectShell
      frame={frame}
      title={t.titleOf(collection.name)}
      current={collectionPath(frame.home, collection.name)}
    >
      <CollectionBar frame={frame} collection={collection} current="access" />
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        <DurationNote page={page} />
        <AccessForm page={page} refused={isIndexing ? undefined : refused} />
        <IndexCard page={page} refused={isIndexing ? refused : undefined} />
      </div>
    </ProjectShell>
  );
};

const AccessForm = (
  { page: { frame, collection, canEdit }, refused }: {
    page: CollectionPage;
    refused: RefusedAccess | undefined;
  },
) => {
  const { rls } = collection;
  const t = texts().collections.access;
  const problem = refused?.problem ?? null;
  const owner = String(refused?.form.get("ownerField") ?? rls.ownerField);
  const isOwners = problem !== null && problem.faults.some(({ path }) => path === owner);
  const action = tabPath(frame.home, collection.name, "access");
  const now = definitionTags(collection).rls;
  return (
    <form method="post" action={action}>
      <input type="hidden" name="tag" value={refused?.form.get("tag") ?? now} />
      {problem !== null && isConflict(problem)
        ? <Conflict what="collection" here={action} now={now} />
        : !isOwners && <Refusal problem={problem} />}
      <fieldset class="access" disabled={!canEdit}>
        <legend class="hidden">{t.title}</legend>
        <article class="card">
          <h2>{t.whoTitle}</h2>
          <p>{t.about}</p>
          <AccessChoices chosen={refused?.form.get("access") ?? choiceOf(rls)} />
        </article>
        <article class="card">
          <h2 id="owner-field">{t.ownerField}</h2>
          <p>{t.ownerFieldAbout}</p>
          {isOwners && <Refusal problem={problem} />}
          <select name="ownerField" aria-labelledby="owner-field">
            {ownerFields(collection).map((name) => (
              <option selected={name === owner}>
                {name}
              </option>
            ))}
          </select>
        </article>
      </fieldset>
      {canEdit && <button name="act" value="save">{t.save}</button>}
    </form>
  );
};

/** Possible owner fields. The current one may be undeclared while row rules are off. */
const ownerFields = ({ fields, rls }: CollectionDefinition): string[] => [
  ...new Set([
    rls.ownerField,
    ...fields.filter(({ type, ref }) => FIELD_TYPES[type].isText || ref === "users").map((
      { key },
    ) => key),
  ]),
];
