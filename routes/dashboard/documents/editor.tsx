import type { StoredDocument } from "@/lib/documents/collection.ts";
import { COLUMNS_MAX, PATH_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Copy } from "../components/copy.tsx";
import { areaHtml, ConfirmForm, Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell, Tabs } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneWord } from "../done.tsx";
import { texts } from "../texts/mod.ts";
import { documentJson, enteredEntries, storedEntries } from "./entered.ts";
import { areAllShown, Fields } from "./fields.tsx";
import type { FoundNames, Targets } from "./references.ts";
import { type GridContext, ownerField } from "./context.ts";
import { gridPath, TRASH_DAYS, type View, viewText, withView } from "./view.ts";

/** A sent form with its problem, or null if it was not refused. */
export interface EnteredForm {
  readonly form: URLSearchParams;
  readonly problem: Problem | null;
}

interface EditorProps {
  readonly context: GridContext;
  readonly targets: Targets;
  readonly view: View;
  /** Stored document, or null for a new one. */
  readonly document: StoredDocument | null;
  readonly etag: string | null;
  /** Document that a new one duplicates. */
  readonly copied?: StoredDocument | null;
  readonly asJson: boolean;
  readonly typed: EnteredForm | null;
  readonly found?: FoundNames | null;
  readonly done: string | null;
}

/** Whether a document has more members or longer names than a form can send. */
function exceedsForms(document: { readonly [name: string]: Json }): boolean {
  const names = Object.keys(document);
  return names.length > COLUMNS_MAX || names.some(({ length }) => length > PATH_LENGTH_MAX);
}

const hasConflict = (typed: EnteredForm | null): boolean =>
  typed?.problem != null && isConflict(typed.problem);

/** Page of a document, by fields or as JSON. It is read-only for viewers and in the trash. */
export const EditorPage = (props: EditorProps) => {
  const { context, view, document, typed } = props;
  const asJson = props.asJson || exceedsForms(document ?? props.copied ?? {});
  const { frame, collection, path } = context;
  const { definition } = collection;
  const { editor: t } = texts().documents;
  const title = document === null ? t.create : document._id;
  const action = document === null ? `${path}/new` : `${path}/documents/${document._id}`;
  const here = withView(view, action);
  const asText = withView(view, action, { as: "json" });
  const isReadOnly = !context.canWrite || document?.isDeleted === true;
  const members = asJson
    ? <JsonField {...props} isReadOnly={isReadOnly} />
    : <FieldsForm {...props} isReadOnly={isReadOnly} />;
  return (
    <ProjectShell frame={frame} title={`${title} · ${definition.name}`} current={path}>
      <CollectionBar frame={frame} collection={definition} current="documents">
        {context.canWrite && document !== null && (
          <DocumentActions view={view} document={document} />
        )}
      </CollectionBar>
      <div class="sheet">
        <div class="document-head">
          <h2 class={document === null ? "" : "mono"}>{title}</h2>
          {document !== null && <Copy text={document._id} />}
          <Tabs
            label={t.ways.label}
            tabs={[{ href: here, label: t.ways.form }, { href: asText, label: "JSON" }]}
            current={asJson ? asText : here}
          />
        </div>
        {document !== null && <Facts document={document} />}
        <DoneWord word={props.done} sentences={t.done} />
        {document?.isDeleted === true && <p class="note">{t.inTrash(TRASH_DAYS)}</p>}
        {isReadOnly
          ? <div class="document-form">{members}</div>
          : (
            <form class="document-form" method="post" action={action}>
              {/* Enter presses the first button of a form, which must not overwrite a conflict. */}
              <button hidden></button>
              <input type="hidden" name="view" value={viewText(view)} />
              {asJson && <input type="hidden" name="as" value="json" />}
              {props.etag !== null && (
                <input type="hidden" name="etag" value={typed?.form.get("etag") ?? props.etag} />
              )}
              {hasConflict(typed) && <Conflict what="document" here={here} now={props.etag} />}
              {members}
              <div class="acts">
                <SaveButtons isNew={document === null} />
                <a role="button" class="quiet" href={gridPath(view)}>{t.back}</a>
              </div>
            </form>
          )}
      </div>
    </ProjectShell>
  );
};

const SaveButtons = ({ isNew }: { isNew: boolean }) => {
  const { documents: { editor: t }, shared } = texts();
  return (
    <>
      <button name="then" value="save" aria-keyshortcuts="Control+S Meta+S">
        {isNew ? t.createNow : shared.save}
      </button>
      <button class="quiet" name="then" value={isNew ? "another" : "stay"}>
        {isNew ? t.createAnother : t.saveAndStay}
      </button>
    </>
  );
};

const FieldsForm = (
  { context, document, copied, typed, targets, found = null, isReadOnly }: EditorProps & {
    isReadOnly: boolean;
  },
) => {
  const shown = document ?? copied ?? {};
  const entries = typed === null
    ? storedEntries(context.collection, shown)
    : enteredEntries(context.collection, shown, typed.form);
  const faults = typed?.problem?.faults ?? [];
  const isShownAtFields = faults.length > 0 && areAllShown(entries, faults);
  const { editor: t } = texts().documents;
  return (
    <>
      {typed !== null && !isShownAtFields && !hasConflict(typed) && (
        <Refusal problem={typed.problem} />
      )}
      {entries.length === 0 ? <p class="empty">{t.noFields}</p> : (
        <Fields
          entries={entries}
          faults={faults}
          targets={targets}
          isNew={document === null}
          owner={ownerField(context)}
          finding={{ found }}
          isReadOnly={isReadOnly}
        />
      )}
      {!isReadOnly && document !== null && <small>{t.emptied}</small>}
    </>
  );
};

const JsonField = (
  { document, copied, typed, isReadOnly }: EditorProps & { isReadOnly: boolean },
) => (
  <>
    {typed !== null && !hasConflict(typed) && <Refusal problem={typed.problem} />}
    <label>
      {texts().documents.editor.whole}
      <textarea
        class="mono whole-json"
        name="json"
        spellcheck={false}
        rows={18}
        readonly={isReadOnly}
        aria-invalid={typed?.problem ? "true" : undefined}
      >
        {areaHtml(typed?.form.get("json") ?? documentJson(document ?? copied ?? {}))}
      </textarea>
    </label>
  </>
);

const Facts = ({ document }: { document: StoredDocument }) => {
  const { editor: t } = texts().documents;
  return (
    <dl class="document-facts">
      <Fact name={t.created} at={document.createdAt} />
      <Fact name={t.changed} at={document.updatedAt} />
      {document.deletedAt !== null && <Fact name={t.deleted} at={document.deletedAt} />}
    </dl>
  );
};

const Fact = ({ name, at }: { name: string; at: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <When at={at} />
    </dd>
  </div>
);

const DocumentActions = ({ view, document }: { view: View; document: StoredDocument }) => {
  const { documents: { editor: t }, shared } = texts();
  const action = `${view.path}/documents`;
  const id = (
    <>
      <input type="hidden" name="view" value={viewText(view)} />
      <input type="hidden" name="id" value={document._id} />
    </>
  );
  if (document.isDeleted) {
    return (
      <>
        <form method="post" action={action}>
          {id}
          <button name="act" value="recover">{t.recover}</button>
        </form>
        <ConfirmForm label={t.remove} loss={t.removeLoss} action={action} button={t.removeNow}>
          {id}
          <input type="hidden" name="act" value="remove" />
          <input type="hidden" name="sure" value="yes" />
        </ConfirmForm>
      </>
    );
  }
  return (
    <>
      <a
        role="button"
        class="quiet"
        href={withView(view, `${view.path}/new`, { from: document._id })}
      >
        {t.duplicate}
      </a>
      <ConfirmForm
        label={shared.delete}
        loss={t.deleteLoss(TRASH_DAYS)}
        action={action}
        button={t.deleteNow}
      >
        {id}
        <input type="hidden" name="act" value="delete" />
        <input type="hidden" name="sure" value="yes" />
      </ConfirmForm>
    </>
  );
};
