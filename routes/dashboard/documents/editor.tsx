import type { StoredDocument } from "@/lib/documents/collection.ts";
import { COLUMNS_MAX, PATH_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Copy } from "../components/copy.tsx";
import { areaText, Ask, Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell, Tabs } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneWord } from "../done.tsx";
import { texts } from "../texts/mod.ts";
import { entriesOf, jsonOf, typedEntries } from "./entered.ts";
import { areAllTold, Fields } from "./fields.tsx";
import type { Found, Targets } from "./references.ts";
import { ownerOf, type Room } from "./room.ts";
import { beside, hrefOf, TRASH_DAYS, type View, viewText } from "./view.ts";

/** What was sent, and why it was refused; null where it was not. */
export interface Typed {
  readonly form: URLSearchParams;
  readonly problem: Problem | null;
}

interface EditorProps {
  readonly room: Room;
  /** What references can lead to, where they can be chosen. */
  readonly targets: Targets;
  /** What the grid shows to which the way leads back. */
  readonly view: View;
  /** Null for one that is still to be made. */
  readonly document: StoredDocument | null;
  /** Of the document as it is now. */
  readonly etag: string | null;
  /** What a new one begins with. */
  readonly copied?: StoredDocument | null;
  readonly asJson: boolean;
  readonly typed: Typed | null;
  /** What was looked for to fill a reference in. */
  readonly found?: Found | null;
  readonly done: string | null;
}

/** More members, or with longer names, than a form can send. */
function isBeyondForms(document: { readonly [name: string]: Json }): boolean {
  const names = Object.keys(document);
  return names.length > COLUMNS_MAX || names.some(({ length }) => length > PATH_LENGTH_MAX);
}

const isRefusedAsOld = (typed: Typed | null): boolean =>
  typed?.problem != null && isConflict(typed.problem);

/** One document: by fields, or as JSON. Who may not change it, or finds it in the trash, reads it. */
export const EditorPage = (props: EditorProps) => {
  const { room, view, document, typed } = props;
  const asJson = props.asJson || isBeyondForms(document ?? props.copied ?? {});
  const { frame, collection, path } = room;
  const { definition } = collection;
  const { editor: t } = texts().documents;
  const title = document === null ? t.create : document._id;
  const action = document === null ? `${path}/new` : `${path}/documents/${document._id}`;
  const here = beside(view, action);
  const asText = beside(view, action, { as: "json" });
  const isReadOnly = !room.mayWrite || document?.isDeleted === true;
  const members = asJson
    ? <JsonField {...props} isReadOnly={isReadOnly} />
    : <FieldsForm {...props} isReadOnly={isReadOnly} />;
  return (
    <ProjectShell frame={frame} title={`${title} · ${definition.name}`} current={path}>
      <CollectionBar frame={frame} collection={definition} current="documents">
        {room.mayWrite && document !== null && <Acts view={view} document={document} />}
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
              {/* Enter presses the first button of a form, and that overwrites nothing. */}
              <button hidden></button>
              <input type="hidden" name="view" value={viewText(view)} />
              {asJson && <input type="hidden" name="as" value="json" />}
              {props.etag !== null && (
                <input type="hidden" name="etag" value={typed?.form.get("etag") ?? props.etag} />
              )}
              {isRefusedAsOld(typed) && <Conflict what="document" here={here} now={props.etag} />}
              {members}
              <div class="acts">
                <SaveButtons isNew={document === null} />
                <a role="button" class="quiet" href={hrefOf(view)}>{t.back}</a>
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
  { room, document, copied, typed, targets, found = null, isReadOnly }: EditorProps & {
    isReadOnly: boolean;
  },
) => {
  const shown = document ?? copied ?? {};
  const entries = typed === null
    ? entriesOf(room.collection, shown)
    : typedEntries(room.collection, shown, typed.form);
  const faults = typed?.problem?.faults ?? [];
  const isTold = faults.length > 0 && areAllTold(entries, faults);
  const { editor: t } = texts().documents;
  return (
    <>
      {typed !== null && !isTold && !isRefusedAsOld(typed) && <Refusal problem={typed.problem} />}
      {entries.length === 0 ? <p class="empty">{t.noFields}</p> : (
        <Fields
          entries={entries}
          faults={faults}
          targets={targets}
          isNew={document === null}
          owner={ownerOf(room)}
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
    {typed !== null && !isRefusedAsOld(typed) && <Refusal problem={typed.problem} />}
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
        {areaText(typed?.form.get("json") ?? jsonOf(document ?? copied ?? {}))}
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

const Acts = ({ view, document }: { view: View; document: StoredDocument }) => {
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
        <Ask
          label={t.remove}
          loss={t.removeLoss}
          action={action}
          button={t.removeNow}
        >
          {id}
          <input type="hidden" name="act" value="remove" />
          <input type="hidden" name="sure" value="yes" />
        </Ask>
      </>
    );
  }
  return (
    <>
      <a
        role="button"
        class="quiet"
        href={beside(view, `${view.path}/new`, { from: document._id })}
      >
        {t.duplicate}
      </a>
      <Ask
        label={shared.delete}
        loss={t.deleteLoss(TRASH_DAYS)}
        action={action}
        button={t.deleteNow}
      >
        {id}
        <input type="hidden" name="act" value="delete" />
        <input type="hidden" name="sure" value="yes" />
      </Ask>
    </>
  );
};
