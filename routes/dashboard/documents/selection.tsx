import { validateChanges } from "@/lib/documents/validate_changes.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { ACTS, type Bulk, doNext, type NewValue, readBulk, sizeOf } from "./bulk.ts";
import { NewValuePage, ProgressPage, SurePage, WhichFieldPage } from "./bulk_pages.tsx";
import { enteredValue, FIELD_PREFIX, unreadable } from "./entered.ts";
import { gridReply } from "./grid.tsx";
import { targetsOf } from "./references.ts";
import { type CollectionContext, openRoom, ownerOf, pathOf, type Room } from "./room.ts";
import { hrefOf, readView } from "./view.ts";

/**
 * Does something to the selected documents, or to all that match. What is lost is asked for first:
 * the form comes again with `sure`. Of all that match each request does some, and the page that it
 * answers asks for the next.
 */
export const actOnDocuments: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readView(pathOf(c), form.get("view") ?? "");
  const read = await attempt(() => readBulk(form, view));
  if (read.problem !== null) return await gridReply(c, view, { problem: read.problem });
  const bulk = read.value;
  if (bulk.act === "edit") return await editReply(c, bulk, form);
  if (bulk.act !== "recover" && form.get("sure") === null) {
    const [room, size] = await Promise.all([openRoom(c), sizeOf(c, bulk)]);
    return pageReply(<SurePage room={room} bulk={bulk} size={size} />);
  }
  return await stepReply(c, { bulk, form, change: null });
};

/** Asks for the field, then for what it is set to, and sets it. */
async function editReply(c: CollectionContext, bulk: Bulk, form: URLSearchParams) {
  const room = await openRoom(c);
  const field = room.collection.definition.fields.find(({ key }) => key === form.get("field"));
  if (field === undefined) {
    return pageReply(<WhichFieldPage room={room} bulk={bulk} size={await sizeOf(c, bulk)} />);
  }
  const isTyped = form.get("sure") !== null;
  const read = await attempt(() => valueIn(room, field, form));
  if (isTyped && read.problem === null) {
    return await stepReply(c, { bulk, form, change: read.value });
  }
  const [targets, size] = await Promise.all([
    targetsOf(c, [field], ownerOf(room)),
    sizeOf(c, bulk),
  ]);
  const problem = isTyped ? read.problem : null;
  return pageReply(
    <NewValuePage {...{ room, bulk, size, field, targets, form, problem }} />,
    problem === null ? {} : { status: problem.status },
  );
}

/** What does not fit the field fits no document: that is told once, before any is changed. */
function valueIn({ collection }: Room, field: FieldDefinition, form: URLSearchParams): NewValue {
  const value = enteredValue(field, form.get(FIELD_PREFIX + field.key) ?? "");
  const { faults } = validateChanges(collection, { [field.key]: value }, "");
  if (faults.length > 0) throw unreadable(faults);
  return { field, value };
}

interface NextStep {
  readonly bulk: Bulk;
  readonly form: URLSearchParams;
  readonly change: NewValue | null;
}

async function stepReply(c: CollectionContext, { bulk, form, change }: NextStep) {
  const after = await doNext(c, bulk, change);
  if (after.cursor !== null) {
    const room = await openRoom(c);
    const name = change && FIELD_PREFIX + change.field.key;
    const carried = name === null ? null : [name, form.get(name) ?? ""] as const;
    return pageReply(<ProgressPage room={room} bulk={after} change={carried} />);
  }
  const { act, view, tally } = after;
  if (tally.failed === 0) return seeOther(hrefOf(view, { done: ACTS[act] }));
  return await gridReply(c, view, { undone: { act, tally } });
}
