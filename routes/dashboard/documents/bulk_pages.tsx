import type { Child } from "hono/jsx";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import { TRASH_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { counted, countText } from "@/lib/text/amounts.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { ACTS, type Bulk, failureText } from "./bulk.ts";
import { FIELD_PREFIX, typedEntries } from "./entered.ts";
import { areAllTold, Fields } from "./fields.tsx";
import type { Targets } from "./references.ts";
import { ownerOf, type Room } from "./room.ts";
import { hrefOf, viewText } from "./view.ts";

interface BulkProps {
  readonly room: Room;
  readonly bulk: Bulk;
  /** How many documents it is about; null where nobody has counted. */
  readonly size: number | null;
}

const whichText = ({ bulk: { ids }, size }: BulkProps): string => {
  if (size === null) return "all matching documents";
  const documents = counted(size, "document");
  return ids === null ? `all ${documents} that match` : documents;
};

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
  const which = whichText(props);
  const isForGood = bulk.act === "remove";
  const act = isForGood ? `Remove ${which} for good` : `Delete ${which}`;
  return (
    <BulkPage room={room} title={`${act}?`}>
      <p>
        {isForGood
          ? "Nobody can bring them back afterwards."
          : `They go to the trash, from which they can be recovered for ${
            TRASH_MS / 86_400_000
          } days.`}
      </p>
      <form method="post" action={`${room.path}/documents`}>
        <Carried bulk={bulk} />
        <input type="hidden" name="sure" value="yes" />
        <div class="acts">
          <button class="danger">{act}</button>
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>Keep</a>
        </div>
      </form>
    </BulkPage>
  );
};

/** First the field, then what it is set to. */
export const WhichFieldPage = (props: BulkProps) => {
  const { room, bulk } = props;
  const { fields } = room.collection.definition;
  return (
    <BulkPage room={room} title={`Edit ${whichText(props)}`}>
      {fields.length === 0
        ? <p>Declare a field first, then it can be set here.</p>
        : (
          <form method="post" action={`${room.path}/documents`}>
            <Carried bulk={bulk} />
            <fieldset class="choose">
              <legend>Which field?</legend>
              {fields.map(({ key }) => (
                <button class="quiet" name="field" value={key}>
                  {key}
                </button>
              ))}
            </fieldset>
          </form>
        )}
      <a role="button" class="quiet" href={hrefOf(bulk.view)}>Cancel</a>
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
  const which = whichText(props);
  const entries = typedEntries({ definition: { fields: [field] } }, {}, form);
  const faults = problem?.faults ?? [];
  return (
    <BulkPage room={room} title={`Edit ${which}`}>
      <p>What you enter takes the place of what they hold. Left empty, it becomes null.</p>
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
          <button>{`Change ${which}`}</button>
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>Cancel</a>
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
  return (
    <BulkPage room={room} title="Not finished yet">
      <p role="status">
        {`${counted(done, "document")} ${ACTS[act]}`}
        {failed > 0 && `, ${countText(failed)} not`}
        . There are more.
      </p>
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
            <button>Continue</button>
          </next-step>
          <a role="button" class="quiet" href={hrefOf(bulk.view)}>Stop here</a>
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
