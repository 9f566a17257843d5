import type { Child } from "hono/jsx";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { Problem } from "@/lib/problems.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import type { Chosen } from "../texts/en/documents.tsx";
import { texts } from "../texts/mod.ts";
import { type Bulk, failureText } from "./bulk.ts";
import { enteredEntries, FIELD_PREFIX } from "./entered.ts";
import { areAllShown, Fields } from "./fields.tsx";
import type { Targets } from "./references.ts";
import { type GridContext, ownerField } from "./context.ts";
import { gridPath, TRASH_DAYS, viewText } from "./view.ts";

interface BulkProps {
  readonly context: GridContext;
  readonly bulk: Bulk;
  /** Number of affected documents, or null if only an estimate is known. */
  readonly size: number | null;
}

const toChosen = ({ bulk: { ids }, size }: BulkProps): Chosen => ({ size, isAll: ids === null });

const BulkPage = (
  { context: { frame, collection, path }, title, children }: {
    context: GridContext;
    title: string;
    children?: Child;
  },
) => (
  <ProjectShell frame={frame} title={title} current={path}>
    <CollectionBar frame={frame} collection={collection.definition} current="documents" />
    <div class="sheet">
      <article class="card">
        <h2>{title}</h2>
        {children}
      </article>
    </div>
  </ProjectShell>
);

/** Hidden fields that all forms of a bulk action send again. */
const BulkFields = ({ bulk: { act, ids, view } }: { bulk: Bulk }) => (
  <>
    <input type="hidden" name="view" value={viewText(view)} />
    <input type="hidden" name="act" value={act} />
    {ids === null
      ? <input type="hidden" name="all" value="yes" />
      : ids.map((id) => <input type="hidden" name="id" value={id} />)}
  </>
);

export const ConfirmPage = (props: BulkProps) => {
  const { context, bulk } = props;
  const chosen = toChosen(props);
  const isForGood = bulk.act === "remove";
  const { bulk: t } = texts().documents;
  return (
    <BulkPage context={context} title={isForGood ? t.removeSure(chosen) : t.deleteSure(chosen)}>
      <p>{isForGood ? t.removeLoss : t.deleteLoss(TRASH_DAYS)}</p>
      <form method="post" action={`${context.path}/documents`}>
        <BulkFields bulk={bulk} />
        <input type="hidden" name="sure" value="yes" />
        <div class="acts">
          <button class="danger">{isForGood ? t.remove(chosen) : t.delete(chosen)}</button>
          <a role="button" class="quiet" href={gridPath(bulk.view)}>{t.keep}</a>
        </div>
      </form>
    </BulkPage>
  );
};

export const FieldPage = (props: BulkProps) => {
  const { context, bulk } = props;
  const { fields } = context.collection.definition;
  const { bulk: t, cancel } = texts().documents;
  return (
    <BulkPage context={context} title={t.edit(toChosen(props))}>
      {fields.length === 0
        ? <p>{t.noFields}</p>
        : (
          <form method="post" action={`${context.path}/documents`}>
            <BulkFields bulk={bulk} />
            <fieldset class="choose">
              <legend>{t.field}</legend>
              {fields.map(({ key }) => (
                <button class="quiet" name="field" value={key}>
                  {key}
                </button>
              ))}
            </fieldset>
          </form>
        )}
      <a role="button" class="quiet" href={gridPath(bulk.view)}>{cancel}</a>
    </BulkPage>
  );
};

export const NewValuePage = (
  { field, targets, form, problem, ...props }: BulkProps & {
    field: FieldDefinition;
    targets: Targets;
    form: URLSearchParams;
    problem: Problem | null;
  },
) => {
  const { context, bulk } = props;
  const chosen = toChosen(props);
  const entries = enteredEntries({ definition: { fields: [field] } }, {}, form);
  const faults = problem?.faults ?? [];
  const { bulk: t, cancel } = texts().documents;
  return (
    <BulkPage context={context} title={t.edit(chosen)}>
      <p>{t.value}</p>
      {problem !== null && !areAllShown(entries, faults) && <Refusal problem={problem} />}
      <form method="post" action={`${context.path}/documents`} class="document-form">
        <BulkFields bulk={bulk} />
        <input type="hidden" name="field" value={field.key} />
        <input type="hidden" name="sure" value="yes" />
        <Fields
          entries={entries}
          faults={faults}
          targets={targets}
          isNew={false}
          owner={ownerField(context)}
          isReadOnly={false}
        />
        <div class="acts">
          <button>{t.change(chosen)}</button>
          <a role="button" class="quiet" href={gridPath(bulk.view)}>{cancel}</a>
        </div>
      </form>
    </BulkPage>
  );
};

/** Page between two steps. With scripts the next step starts automatically. */
export const ProgressPage = (
  { context, bulk, change }: Omit<BulkProps, "size"> & {
    /** Form field and text of the new value, or null unless documents are edited. */
    change: readonly [name: string, text: string] | null;
  },
) => {
  const { act, cursor, tally: { done, failed, failures } } = bulk;
  const { bulk: t } = texts().documents;
  return (
    <BulkPage context={context} title={t.unfinished}>
      <p role="status">{t.progress(act, done, failed)}</p>
      <form method="post" action={`${context.path}/documents`} hx-push-url="false">
        <BulkFields bulk={bulk} />
        <input type="hidden" name="sure" value="yes" />
        <input type="hidden" name="cursor" value={cursor ?? ""} />
        <input type="hidden" name="done" value={String(done)} />
        <input type="hidden" name="failed" value={String(failed)} />
        {failures.map((one) => <input type="hidden" name="told" value={failureText(one)} />)}
        {change !== null && (
          <>
            <input type="hidden" name="field" value={change[0].slice(FIELD_PREFIX.length)} />
            <input type="hidden" name={change[0]} value={change[1]} />
          </>
        )}
        <div class="acts">
          <next-step>
            <button>{t.continue}</button>
          </next-step>
          <a role="button" class="quiet" href={gridPath(bulk.view)}>{t.stop}</a>
        </div>
      </form>
    </BulkPage>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "next-step": { children?: Child };
    }
  }
}
