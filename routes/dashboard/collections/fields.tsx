import { parseDefinition } from "@/lib/documents/definition.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import type { CollectionDefinition, IndexDefinition } from "@/lib/documents/fields.ts";
import { renamedIndexes } from "@/lib/documents/renames.ts";
import { definitionTags, updateCollection } from "@/lib/documents/save_collection.ts";
import { renameCollection } from "@/lib/operations/rename_collection.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { DEFINITION_FORM_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, Conflict, Field, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { DurationNote } from "./duration_note.tsx";
import { CollectionBar, collectionPath, tabPath } from "./bar.tsx";
import { type CollectionPage, loadCollectionPage } from "./collection_page.ts";
import { faultyRowPlace } from "./faulty_row.ts";
import { type DraftField, toDefinitionInput, toDraft } from "./draft.ts";
import { changeDraft, readDraft, type RowPlace } from "./draft_form.ts";
import { AllFieldRows, type RowsContext } from "./field_rows.tsx";

interface EnteredDefinition {
  readonly fields: readonly DraftField[];
  /** Indexes as they were typed, one per line. */
  readonly indexes: string;
  readonly strict: boolean;
  /** Tag of the stored fields from which the form was rendered. */
  readonly tag: string | null;
  readonly focus: RowPlace | null;
  readonly problem: Problem | null;
}

const toEntered = (collection: CollectionDefinition): EnteredDefinition => ({
  fields: toDraft(collection.fields),
  indexes: indexLines(collection.indexes),
  strict: collection.strict,
  tag: definitionTags(collection).fields,
  focus: null,
  problem: null,
});

const INDEX_SAMPLE = "status, -views";

export const showFields: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const page = await loadCollectionPage(c);
  const entered = toEntered(page.collection);
  return pageReply(<FieldsPage page={page} entered={entered} query={c.var.state.query} />);
};

/** Saves the rows, or applies a button that edits the rows without saving. */
export const changeFields: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form(DEFINITION_FORM_FIELDS_MAX);
  const page = await loadCollectionPage(c);
  const act = form.get("act") ?? "save";
  const draft = {
    fields: readDraft(form),
    indexes: form.get("indexes") ?? "",
    strict: form.has("strict"),
    tag: form.get("tag"),
    problem: null,
  };
  if (act === "save") {
    const seen = form.get("over") ?? draft.tag;
    return await save(c, page, { ...draft, focus: null, seen });
  }
  const changed = changeDraft(draft.fields, act);
  const strict = draft.strict || declaresFirstField(page, draft.fields, changed.fields);
  const entered = { ...draft, ...changed, strict };
  return pageReply(<FieldsPage page={page} entered={entered} />);
};

/** Whether an empty collection gets its first field, which makes it strict by default. */
function declaresFirstField(
  { frame, collection: { name, rls } }: CollectionPage,
  before: readonly DraftField[],
  after: readonly DraftField[],
): boolean {
  const isEmpty = frame.collections.find((one) => one.name === name)?.count === 0;
  const declares = (fields: readonly DraftField[]) =>
    fields.some(({ key }) => !rls.enabled || key !== rls.ownerField);
  return isEmpty && !declares(before) && declares(after);
}

async function save(
  c: PageContext<ProjectMember>,
  page: CollectionPage,
  { seen, ...entered }: EnteredDefinition & { readonly seen: string | null },
) {
  const { services, principal } = c.var;
  const { frame, collection } = page;
  const { strict } = entered;
  const renames = entered.fields.map(({ was, key }) => ({ from: was, to: key }));
  const indexes = renamedIndexes(readIndexLines(entered.indexes), renames);
  const result = await attempt(() => {
    const fields = toDefinitionInput(entered.fields);
    return updateCollection(
      services,
      principal.project._id,
      parseDefinition({ ...collection, fields, strict, indexes }),
      { ...definitionTags(collection), ...(seen !== null && { fields: seen }) },
    );
  });
  if (result.problem === null) {
    return seeOther(`${tabPath(frame.home, collection.name, "fields")}?done=saved`);
  }
  const { problem } = result;
  return pageReply(<FieldsPage page={page} entered={{ ...entered, problem }} />, {
    status: problem.status,
  });
}

export const renameCollectionByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const to = (await c.var.body.form()).get("name") ?? "";
  const page = await loadCollectionPage(c);
  const { frame, collection: { name: from } } = page;
  const { services } = c.var;
  const result = await attempt(() => renameCollection(services, frame.projectId, { from, to }));
  if (result.problem === null) return seeOther(`${tabPath(frame.home, to, "fields")}?done=renamed`);
  const entered = toEntered(page.collection);
  const content = <FieldsPage page={page} entered={entered} notRenamed={result.problem} />;
  return pageReply(content, { status: result.problem.status });
};

export const deleteCollectionByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const page = await loadCollectionPage(c);
  const { frame, collection: { name } } = page;
  const result = await attempt(async () => {
    if (form.get("name") !== name) {
      const message = texts().collections.fields.delete.notConfirmed(name);
      throw new Problem("INVALID_BODY", { message });
    }
    await deleteCollection(c.var.services, frame.projectId, name);
  });
  if (result.problem === null) return seeOther(`${frame.home}/collections?done=deleted`);
  const entered = toEntered(page.collection);
  const content = <FieldsPage page={page} entered={entered} notDeleted={result.problem} />;
  return pageReply(content, { status: result.problem.status });
};

const FieldsPage = (
  { page, entered, query = "", notRenamed = null, notDeleted = null }: {
    page: CollectionPage;
    entered: EnteredDefinition;
    query?: string;
    notRenamed?: Problem | null;
    notDeleted?: Problem | null;
  },
) => {
  const { frame, collection, canEdit } = page;
  return (
    <ProjectShell
      frame={frame}
      title={texts().collections.fields.titleOf(collection.name)}
      current={collectionPath(frame.home, collection.name)}
    >
      <CollectionBar frame={frame} collection={collection} current="fields" />
      <div class="sheet wide">
        <DurationNote page={page} />
        <FieldsForm page={page} entered={entered} query={query} />
        {canEdit && <RenameCard page={page} problem={notRenamed} />}
        {canEdit && <DeleteCard page={page} problem={notDeleted} />}
      </div>
    </ProjectShell>
  );
};

function rowsContext(
  { frame, collection, canEdit }: CollectionPage,
  { fields, focus, problem }: EnteredDefinition,
): RowsContext {
  const faultyPlace = problem === null ? null : faultyRowPlace(problem, fields);
  return {
    of: "documents",
    targets: ["users", ...frame.collections.map(({ name }) => name)],
    ownerField: collection.rls.enabled ? collection.rls.ownerField : null,
    canEdit,
    focus: faultyPlace ?? focus,
    refused: faultyPlace === null ? null : { place: faultyPlace, problem: problem! },
  };
}

const FieldsForm = (
  { page, entered, query }: { page: CollectionPage; entered: EnteredDefinition; query: string },
) => {
  const { frame, collection, canEdit } = page;
  const { tag, problem } = entered;
  const context = rowsContext(page, entered);
  return (
    // The page does not scroll, so that the pressed button and its result stay visible.
    <form
      method="post"
      action={tabPath(frame.home, collection.name, "fields")}
      hx-swap="innerHTML show:none"
    >
      {/* Enter in a text field presses the first button of a form, which must save. */}
      {canEdit && <button hidden name="act" value="save"></button>}
      {tag !== null && <input type="hidden" name="tag" value={tag} />}
      <Definition entered={entered} context={context} />
      <p class="muted">{texts().collections.fields.renaming}</p>
      {canEdit && (
        <FormActs page={page} query={query} problem={context.refused === null ? problem : null} />
      )}
    </form>
  );
};

const Definition = (
  { entered: { fields, indexes, strict }, context }: {
    entered: EnteredDefinition;
    context: RowsContext;
  },
) => {
  const t = texts().collections.fields;
  return (
    <fieldset class="rows" disabled={!context.canEdit}>
      <legend>{t.title}</legend>
      {fields.length === 0 && <p class="empty">{t.none}</p>}
      <AllFieldRows fields={fields} context={context} />
      <label>
        <input type="checkbox" role="switch" name="strict" checked={strict} />
        {t.strict}
      </label>
      <label>
        {t.indexes}
        <textarea
          name="indexes"
          rows={Math.max(2, indexes.split("\n").length + 1)}
          placeholder={INDEX_SAMPLE}
          spellcheck={false}
        >
          {indexes}
        </textarea>
        <small>{t.indexesHint}</small>
      </label>
    </fieldset>
  );
};

/** @param problem Problem that is not shown at a row. */
const FormActs = (
  { page: { frame, collection }, query, problem }: {
    page: CollectionPage;
    query: string;
    problem: Problem | null;
  },
) => {
  const t = texts().collections.fields;
  const isNew = new URLSearchParams(query).get("done") === "created";
  const here = tabPath(frame.home, collection.name, "fields");
  return (
    <div class="acts">
      <button class="quiet" name="act" value="add:" autofocus={isNew}>
        {t.add}
      </button>
      <button name="act" value="save" aria-keyshortcuts="Control+S Meta+S">{t.save}</button>
      {problem !== null && isConflict(problem)
        ? <Conflict what="collection" here={here} now={definitionTags(collection).fields} />
        : <Refusal problem={problem} />}
      <DoneNote query={query} sentences={t.done} />
    </div>
  );
};

const RenameCard = ({ page, problem }: { page: CollectionPage; problem: Problem | null }) => {
  const { frame, collection: { name } } = page;
  const t = texts().collections.fields.rename;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={problem} />
      <form method="post" action={`${collectionPath(frame.home, name)}/rename`}>
        <Field label={t.name} name="name" value={name} autocomplete="off" required />
        <button class="quiet">{t.submit}</button>
      </form>
    </article>
  );
};

const DeleteCard = ({ page, problem }: { page: CollectionPage; problem: Problem | null }) => {
  const { frame, collection: { name } } = page;
  const count = frame.collections.find((one) => one.name === name)?.count ?? 0;
  const t = texts().collections.fields.delete;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={problem} />
      <ConfirmForm
        label={t.label}
        loss={t.loss(name, count)}
        action={`${collectionPath(frame.home, name)}/delete`}
        button={t.submit(name)}
      >
        <Field label={t.confirm(name)} name="name" autocomplete="off" required />
      </ConfirmForm>
    </article>
  );
};

const UNIQUE = /^unique\s+/i;

const indexLines = (indexes: readonly IndexDefinition[]): string =>
  indexes.map(({ fields, unique }) => `${unique ? "unique " : ""}${fields.join(", ")}`).join("\n");

/** Parses lines into indexes. The validation of the definition reports errors. */
const readIndexLines = (text: string): IndexDefinition[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => ({
    fields: line.replace(UNIQUE, "").split(",").map((field) => field.trim()),
    unique: UNIQUE.test(line),
  }));
