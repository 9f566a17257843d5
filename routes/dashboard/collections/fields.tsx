import { parseDefinition } from "@/lib/documents/definition.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import type { CollectionDefinition, IndexDefinition } from "@/lib/documents/fields.ts";
import { renamedIndexes } from "@/lib/documents/renames.ts";
import { tagsOf, updateCollection } from "@/lib/documents/save_collection.ts";
import { renameCollection } from "@/lib/operations/rename_collection.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { DEFINITION_FORM_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Conflict, Field, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { DurationNote } from "./duration_note.tsx";
import { CollectionBar, collectionPath, tabPath } from "./bar.tsx";
import { type CollectionPage, loadCollectionPage } from "./collection_page.ts";
import { blamedPlace } from "./blame.ts";
import { type DraftField, draftOf, inputOf } from "./draft.ts";
import { changeDraft, type Place, readDraft } from "./draft_form.ts";
import { AllFieldRows, type RowsContext } from "./field_rows.tsx";

/** The form as it stands. */
interface Entered {
  readonly fields: readonly DraftField[];
  /** One in a line, as it was typed. */
  readonly indexes: string;
  readonly strict: boolean;
  /** The tag of the fields that it was made from. */
  readonly tag: string | null;
  readonly focus: Place | null;
  readonly problem: Problem | null;
}

const stored = (collection: CollectionDefinition): Entered => ({
  fields: draftOf(collection.fields),
  indexes: indexLines(collection.indexes),
  strict: collection.strict,
  tag: tagsOf(collection).fields,
  focus: null,
  problem: null,
});

/** What an index of several fields may look like. */
const INDEX_SAMPLE = "status, -views";

export const showFields: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const page = await loadCollectionPage(c);
  const entered = stored(page.collection);
  return pageReply(<FieldsPage page={page} entered={entered} query={c.var.state.query} />);
};

/** Saves the rows, or does what a button beside them says, which saves nothing. */
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
  const strict = draft.strict || beginsToDeclare(page, draft.fields, changed.fields);
  const entered = { ...draft, ...changed, strict };
  return pageReply(<FieldsPage page={page} entered={entered} />);
};

/**
 * Whether the first field is declared of a collection without documents: from it on the collection is
 * strict unless somebody says otherwise, as one that is made by the API.
 */
function beginsToDeclare(
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
  { seen, ...entered }: Entered & { readonly seen: string | null },
) {
  const { services, principal } = c.var;
  const { frame, collection } = page;
  const { strict } = entered;
  const renames = entered.fields.map(({ was, key }) => ({ from: was, to: key }));
  const indexes = renamedIndexes(readIndexLines(entered.indexes), renames);
  const tried = await attempt(() => {
    const fields = inputOf(entered.fields);
    return updateCollection(
      services,
      principal.project._id,
      parseDefinition({ ...collection, fields, strict, indexes }),
      { ...tagsOf(collection), ...(seen !== null && { fields: seen }) },
    );
  });
  if (tried.problem === null) {
    return seeOther(`${tabPath(frame.home, collection.name, "fields")}?done=saved`);
  }
  const { problem } = tried;
  return pageReply(<FieldsPage page={page} entered={{ ...entered, problem }} />, {
    status: problem.status,
  });
}

export const renameCollectionByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const to = (await c.var.body.form()).get("name") ?? "";
  const page = await loadCollectionPage(c);
  const { frame, collection: { name: from } } = page;
  const { services } = c.var;
  const tried = await attempt(() => renameCollection(services, frame.projectId, { from, to }));
  if (tried.problem === null) return seeOther(`${tabPath(frame.home, to, "fields")}?done=renamed`);
  const entered = stored(page.collection);
  const shown = <FieldsPage page={page} entered={entered} notRenamed={tried.problem} />;
  return pageReply(shown, { status: tried.problem.status });
};

export const deleteCollectionByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const page = await loadCollectionPage(c);
  const { frame, collection: { name } } = page;
  const tried = await attempt(async () => {
    if (form.get("name") !== name) {
      const message = texts().collections.fields.delete.notConfirmed(name);
      throw new Problem("INVALID_BODY", { message });
    }
    await deleteCollection(c.var.services, frame.projectId, name);
  });
  if (tried.problem === null) return seeOther(`${frame.home}/collections?done=deleted`);
  const entered = stored(page.collection);
  const shown = <FieldsPage page={page} entered={entered} notDeleted={tried.problem} />;
  return pageReply(shown, { status: tried.problem.status });
};

const FieldsPage = (
  { page, entered, query = "", notRenamed = null, notDeleted = null }: {
    page: CollectionPage;
    entered: Entered;
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
  { fields, focus, problem }: Entered,
): RowsContext {
  const blamed = problem === null ? null : blamedPlace(problem, fields);
  return {
    of: "documents",
    targets: ["users", ...frame.collections.map(({ name }) => name)],
    ownerField: collection.rls.enabled ? collection.rls.ownerField : null,
    canEdit,
    focus: blamed ?? focus,
    refused: blamed === null ? null : { place: blamed, problem: problem! },
  };
}

const FieldsForm = (
  { page, entered, query }: { page: CollectionPage; entered: Entered; query: string },
) => {
  const { frame, collection, canEdit } = page;
  const { tag, problem } = entered;
  const context = rowsContext(page, entered);
  return (
    // The page stays where it is: what was pressed and what comes of it are seen together.
    <form
      method="post"
      action={tabPath(frame.home, collection.name, "fields")}
      hx-swap="innerHTML show:none"
    >
      {/* Enter in a text field presses the first button of a form. */}
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
  { entered: { fields, indexes, strict }, context }: { entered: Entered; context: RowsContext },
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

/** @param problem What is not told at a row. */
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
        ? <Conflict what="collection" here={here} now={tagsOf(collection).fields} />
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
      <Ask
        label={t.label}
        loss={t.loss(name, count)}
        action={`${collectionPath(frame.home, name)}/delete`}
        button={t.submit(name)}
      >
        <Field label={t.confirm(name)} name="name" autocomplete="off" required />
      </Ask>
    </article>
  );
};

const UNIQUE = /^unique\s+/i;

/** Indexes as lines that can be edited. */
const indexLines = (indexes: readonly IndexDefinition[]): string =>
  indexes.map(({ fields, unique }) => `${unique ? "unique " : ""}${fields.join(", ")}`).join("\n");

/** What was typed, as a definition takes it; what is wrong with it the definition's rules say. */
const readIndexLines = (text: string): IndexDefinition[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => ({
    fields: line.replace(UNIQUE, "").split(",").map((field) => field.trim()),
    unique: UNIQUE.test(line),
  }));
