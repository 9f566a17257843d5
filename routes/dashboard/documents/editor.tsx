import type { StoredDocument } from "@/lib/documents/collection.ts";
import { COLUMNS_MAX, PATH_LENGTH_MAX, TRASH_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { areaText, Ask, Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { ProjectShell, Tabs } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneWord } from "../done.tsx";
import { entriesOf, jsonOf, typedEntries } from "./entered.ts";
import { areAllTold, Fields } from "./fields.tsx";
import type { Found, Targets } from "./references.ts";
import { ownerOf, type Room } from "./room.ts";
import { beside, hrefOf, type View, viewText } from "./view.ts";

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

const DONE = { saved: "Saved.", created: "Created. Here is room for another." };

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
  const title = document === null ? "New document" : document._id;
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
          <Tabs
            label="Ways to look at it"
            tabs={[{ href: here, label: "Form" }, { href: asText, label: "JSON" }]}
            current={asJson ? asText : here}
          />
        </div>
        {document !== null && <Facts document={document} />}
        <DoneWord word={props.done} sentences={DONE} />
        {document?.isDeleted === true && (
          <p class="note">
            It is in the trash, and can be recovered for {TRASH_MS / 86_400_000} days from then.
          </p>
        )}
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
                <a role="button" class="quiet" href={hrefOf(view)}>Back to the list</a>
              </div>
            </form>
          )}
      </div>
    </ProjectShell>
  );
};

const SaveButtons = ({ isNew }: { isNew: boolean }) => (
  <>
    <button name="then" value="save" aria-keyshortcuts="Control+S Meta+S">
      {isNew ? "Create document" : "Save"}
    </button>
    <button class="quiet" name="then" value={isNew ? "another" : "stay"}>
      {isNew ? "Create and add another" : "Save and stay"}
    </button>
  </>
);

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
  return (
    <>
      {typed !== null && !isTold && !isRefusedAsOld(typed) && <Refusal problem={typed.problem} />}
      {entries.length === 0
        ? <p class="empty">No fields are declared: write the document as JSON.</p>
        : (
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
      {!isReadOnly && document !== null && <small>A field that you empty becomes null.</small>}
    </>
  );
};

const JsonField = (
  { document, copied, typed, isReadOnly }: EditorProps & { isReadOnly: boolean },
) => (
  <>
    {typed !== null && !isRefusedAsOld(typed) && <Refusal problem={typed.problem} />}
    <label>
      The whole document, but for what the server sets
      <textarea
        class="mono whole-json"
        name="json"
        spellcheck={false}
        rows={18}
        {...(isReadOnly && { readonly: true })}
        {...(typed?.problem && { "aria-invalid": "true" as const })}
      >
        {areaText(typed?.form.get("json") ?? jsonOf(document ?? copied ?? {}))}
      </textarea>
    </label>
  </>
);

const Facts = ({ document }: { document: StoredDocument }) => (
  <dl class="document-facts">
    <Fact name="Created" at={document.createdAt} />
    <Fact name="Changed" at={document.updatedAt} />
    {document.deletedAt !== null && <Fact name="Deleted" at={document.deletedAt} />}
  </dl>
);

const Fact = ({ name, at }: { name: string; at: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <When at={at} />
    </dd>
  </div>
);

const Acts = ({ view, document }: { view: View; document: StoredDocument }) => {
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
          <button name="act" value="recover">Recover</button>
        </form>
        <Ask
          label="Remove for good"
          loss="Nobody can bring it back afterwards."
          action={action}
          button="Remove this document for good"
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
        Duplicate
      </a>
      <Ask
        label="Delete"
        loss={`It goes to the trash, from which it can be recovered for ${
          TRASH_MS / 86_400_000
        } days.`}
        action={action}
        button="Delete this document"
      >
        {id}
        <input type="hidden" name="act" value="delete" />
        <input type="hidden" name="sure" value="yes" />
      </Ask>
    </>
  );
};
