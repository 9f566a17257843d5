import type { Child } from "hono/jsx";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { Problem } from "@/lib/problems.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import type { Chosen } from "../texts/en/documents.tsx";
import { texts } from "../texts/mod.ts";
import { type Bulk, failureText } from "./bulk.ts";
import { FIELD_PREFIX, typedEntries } from "./entered.ts";
import { areAllTold, Fields } from "./fields.tsx";
import type { Targets } from "./references.ts";
import { ownerOf, type Room } from "./room.ts";
import { hrefOf, TRASH_DAYS, viewText } from "./view.ts";

interface BulkProps {
  readonly room: Room;
  readonly bulk: Bulk;
  /** How many documents it is about; null where nobody has counted. */
  readonly size: number | null;
}

const chosenIn = ({ bulk: { ids }, size }: BulkProps): Chosen => ({ size, isAll: ids === null });

const BulkPage = (
  { room: { frame, collection, path }, title, children }: {
    room: Room;
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

/** What each of the forms sends again. */
const Carried = ({ bulk: { act, ids, view } }: { bulk: Bulk }) => (
  <>
    <input type="hidden" name="view" value={viewText(view)} />
    <input type="hidden" name="act" value={act} />
    {ids === null
      ? <input type="hidden" name="all" value="yes" />
      : ids.map((id) => <input type="hidden" name="id" value={id} />)}
  </>
);

/** What would be lost is asked for first. */
export const SurePage = (props: BulkProps) => {
  const { room, bulk } = props;
  const chosen = chosenIn(props);
  const isForGood = bulk.act === "remove";
  const { bulk: t } = texts().documents;
  return (
    <BulkPage room={room} title={isForGood ? t.removeSure(chosen) : t.deleteSure(chosen)}>
      <p>{isForGood ? t.removeLoss : t.deleteLoss(TRASH_DAYS)}</p>
      <form method="post" action={`${room.path}/documents`}>
        <Carried bulk={bulk} />
        <input type="hidden" name="sure" value="yes" />
        <div class="acts">
          <button class="danger">{isForGood ? t.remove(chosen) : t.delete(chosen)}</button>
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>{t.keep}</a>
        </div>
      </form>
    </BulkPage>
  );
};

/** First the field, then what it is set to. */
export const WhichFieldPage = (props: BulkProps) => {
  const { room, bulk } = props;
  const { fields } = room.collection.definition;
  const { bulk: t, cancel } = texts().documents;
  return (
    <BulkPage room={room} title={t.edit(chosenIn(props))}>
      {fields.length === 0
        ? <p>{t.noFields}</p>
        : (
          <form method="post" action={`${room.path}/documents`}>
            <Carried bulk={bulk} />
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
      <a role="button" class="quiet" href={hrefOf(bulk.view)}>{cancel}</a>
    </BulkPage>
  );
};

/** @param problem Why what was typed does not fit; null before anything was. */
export const NewValuePage = (
  { field, targets, form, problem, ...props }: BulkProps & {
    field: FieldDefinition;
    targets: Targets;
    form: URLSearchParams;
    problem: Problem | null;
  },
) => {
  const { room, bulk } = props;
  const chosen = chosenIn(props);
  const entries = typedEntries({ definition: { fields: [field] } }, {}, form);
  const faults = problem?.faults ?? [];
  const { bulk: t, cancel } = texts().documents;
  return (
    <BulkPage room={room} title={t.edit(chosen)}>
      <p>{t.value}</p>
      {problem !== null && !areAllTold(entries, faults) && <Refusal problem={problem} />}
      <form method="post" action={`${room.path}/documents`} class="document-form">
        <Carried bulk={bulk} />
        <input type="hidden" name="field" value={field.key} />
        <input type="hidden" name="sure" value="yes" />
        <Fields
          entries={entries}
          faults={faults}
          targets={targets}
          isNew={false}
          owner={ownerOf(room)}
          isReadOnly={false}
        />
        <div class="acts">
          <button>{t.change(chosen)}</button>
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>{cancel}</a>
        </div>
      </form>
    </BulkPage>
  );
};

/** Between two steps. With scripts the next one begins by itself. */
export const ProgressPage = (
  { room, bulk, change }: Omit<BulkProps, "size"> & {
    /** The field and what was typed for it; null where nothing is edited. */
    change: readonly [name: string, text: string] | null;
  },
) => {
  const { act, cursor, tally: { done, failed, told } } = bulk;
  const { bulk: t } = texts().documents;
  return (
    <BulkPage room={room} title={t.unfinished}>
      <p role="status">{t.progress(act, done, failed)}</p>
      <form method="post" action={`${room.path}/documents`} hx-push-url="false">
        <Carried bulk={bulk} />
        <input type="hidden" name="sure" value="yes" />
        <input type="hidden" name="cursor" value={cursor ?? ""} />
        <input type="hidden" name="done" value={String(done)} />
        <input type="hidden" name="failed" value={String(failed)} />
        {told.map((one) => <input type="hidden" name="told" value={failureText(one)} />)}
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
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>{t.stop}</a>
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
