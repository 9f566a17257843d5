import { validateChanges } from "@/lib/documents/validate_changes.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { ACTS, type Bulk, countDocuments, type NewValue, readBulk, runStep } from "./bulk.ts";
import { ConfirmPage, FieldPage, NewValuePage, ProgressPage } from "./bulk_pages.tsx";
import { enteredValue, FIELD_PREFIX, invalidFields } from "./entered.ts";
import { gridReply } from "./grid.tsx";
import { loadTargets } from "./references.ts";
import {
  type Context,
  documentsPath,
  type GridContext,
  loadContext,
  ownerField,
} from "./context.ts";
import { gridPath, readView } from "./view.ts";

/** Applies a bulk action. Deletion is confirmed by `sure`. For all, each request runs one step. */
export const actOnDocuments: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readView(documentsPath(c), form.get("view") ?? "");
  const read = await attempt(() => readBulk(form, view));
  if (read.problem !== null) return await gridReply(c, view, { problem: read.problem });
  const bulk = read.value;
  if (bulk.act === "edit") return await editReply(c, bulk, form);
  if (bulk.act !== "recover" && form.get("sure") === null) {
    const [context, size] = await Promise.all([loadContext(c), countDocuments(c, bulk)]);
    return pageReply(<ConfirmPage context={context} bulk={bulk} size={size} />);
  }
  return await stepReply(c, { bulk, form, change: null });
};

/** Asks for the field, then for its value, and sets it. */
async function editReply(c: Context, bulk: Bulk, form: URLSearchParams) {
  const context = await loadContext(c);
  const field = context.collection.definition.fields.find(({ key }) => key === form.get("field"));
  if (field === undefined) {
    return pageReply(
      <FieldPage context={context} bulk={bulk} size={await countDocuments(c, bulk)} />,
    );
  }
  const isTyped = form.get("sure") !== null;
  const read = await attempt(() => readNewValue(context, field, form));
  if (isTyped && read.problem === null) {
    return await stepReply(c, { bulk, form, change: read.value });
  }
  const [targets, size] = await Promise.all([
    loadTargets(c, [field], ownerField(context)),
    countDocuments(c, bulk),
  ]);
  const problem = isTyped ? read.problem : null;
  return pageReply(
    <NewValuePage {...{ context, bulk, size, field, targets, form, problem }} />,
    problem === null ? {} : { status: problem.status },
  );
}

/** Parses and validates the new value once, before documents are changed. */
function readNewValue(
  { collection }: GridContext,
  field: FieldDefinition,
  form: URLSearchParams,
): NewValue {
  const value = enteredValue(field, form.get(FIELD_PREFIX + field.key) ?? "");
  const { faults } = validateChanges(collection, { [field.key]: value }, "");
  if (faults.length > 0) throw invalidFields(faults);
  return { field, value };
}

interface NextStep {
  readonly bulk: Bulk;
  readonly form: URLSearchParams;
  readonly change: NewValue | null;
}

async function stepReply(c: Context, { bulk, form, change }: NextStep) {
  const after = await runStep(c, bulk, change);
  if (after.cursor !== null) {
    const context = await loadContext(c);
    const name = change && FIELD_PREFIX + change.field.key;
    const carried = name === null ? null : [name, form.get(name) ?? ""] as const;
    return pageReply(<ProgressPage context={context} bulk={after} change={carried} />);
  }
  const { act, view, tally } = after;
  if (tally.failed === 0) return seeOther(gridPath(view, { done: ACTS[act] }));
  return await gridReply(c, view, { bulkFailure: { act, tally } });
}
