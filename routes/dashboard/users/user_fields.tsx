import { sha256 } from "@/lib/crypto/hashes.ts";
import { DEFINITION_FORM_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { saveUserFields, type UserField } from "@/lib/users/user_fields.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { faultyRowPlace } from "../collections/faulty_row.ts";
import { type DraftField, toDefinitionInput, toDraft } from "../collections/draft.ts";
import { changeDraft, readDraft, type RowPlace } from "../collections/draft_form.ts";
import { AllFieldRows, type RowsContext } from "../collections/field_rows.tsx";
import { Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { UsersTabs } from "./users_tabs.tsx";

interface EnteredFields {
  readonly rows: readonly DraftField[];
  /** Tag of the stored fields from which the form was rendered. */
  readonly tag: string;
  readonly focus: RowPlace | null;
  readonly problem: Problem | null;
}

const toRows = (fields: readonly UserField[]): DraftField[] =>
  toDraft(fields).map((row, i) => ({ ...row, public: fields[i]!.public }));

const toFieldsInput = (rows: readonly DraftField[]) =>
  toDefinitionInput(rows).map((field, i) => ({ ...field, public: rows[i]!.public }));

const fieldsTag = (fields: readonly UserField[]): string => sha256(JSON.stringify(fields));

export const showUserFields: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const fields = await services.userFields.ofProject(principal.project._id);
  const entered = { rows: toRows(fields), tag: fieldsTag(fields), focus: null, problem: null };
  return pageReply(await fieldsPage(c, fields, entered));
};

/** Saves the rows, or applies a button that edits the rows without saving. */
export const changeUserFields: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form(DEFINITION_FORM_FIELDS_MAX);
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const fields = await services.userFields.ofProject(projectId);
  const [act, tag] = [form.get("act") ?? "save", form.get("tag") ?? fieldsTag(fields)];
  const rows = readDraft(form);
  if (act !== "save") {
    const { fields: changed, focus } = changeDraft(rows, act);
    return pageReply(await fieldsPage(c, fields, { rows: changed, tag, focus, problem: null }));
  }
  const { problem } = await attempt(async () => {
    if ((form.get("over") ?? tag) !== fieldsTag(fields)) throw new Problem("PRECONDITION_FAILED");
    await saveUserFields(services, projectId, toFieldsInput(rows));
  });
  if (problem === null) return seeOther(`${homeOf(projectId)}/users/fields?done=saved`);
  const page = await fieldsPage(c, fields, { rows, tag, focus: null, problem });
  return pageReply(page, { status: problem.status });
};

async function fieldsPage(
  c: PageContext<ProjectMember>,
  stored: readonly UserField[],
  entered: EnteredFields,
) {
  const { services, principal, state: { query } } = c.var;
  const frame = await loadFrame(services, principal);
  const list = `${frame.home}/users`;
  const t = texts().users;
  return (
    <ProjectShell frame={frame} title={t.fields.title} current={list}>
      <Bar title={t.list.title}>
        <UsersTabs path={list} current={`${list}/fields`} />
      </Bar>
      <div class="sheet wide">
        <p class="muted">{t.fields.about}</p>
        <FieldsForm frame={frame} entered={entered} now={fieldsTag(stored)} query={query} />
      </div>
    </ProjectShell>
  );
}

const FieldsForm = (
  { frame, entered, now, query }: {
    frame: Frame;
    entered: EnteredFields;
    now: string;
    query: string;
  },
) => {
  const t = texts().users.fields;
  const { rows, tag, problem } = entered;
  const action = `${frame.home}/users/fields`;
  const canEdit = roleIncludes(frame.role, "admin");
  const faultyPlace = problem === null ? null : faultyRowPlace(problem, rows);
  const context: RowsContext = {
    of: "users",
    targets: ["users", ...frame.collections.map(({ name }) => name)],
    ownerField: null,
    canEdit,
    focus: faultyPlace ?? entered.focus,
    refused: faultyPlace === null ? null : { place: faultyPlace, problem: problem! },
  };
  return (
    // The page does not scroll, so that the pressed button and its result stay visible.
    <form method="post" action={action} hx-swap="innerHTML show:none">
      {/* Enter in a text field presses the first button of a form, which must save. */}
      {canEdit && <button hidden name="act" value="save"></button>}
      <input type="hidden" name="tag" value={tag} />
      <fieldset class="rows" disabled={!canEdit}>
        <legend>{t.fields}</legend>
        {rows.length === 0 && <p class="empty">{t.none}</p>}
        <AllFieldRows fields={rows} context={context} />
      </fieldset>
      <p class="muted">{t.rules}</p>
      {canEdit && (
        <div class="acts">
          <button class="quiet" name="act" value="add:">{t.add}</button>
          <button name="act" value="save" aria-keyshortcuts="Control+S Meta+S">{t.save}</button>
          {problem !== null && isConflict(problem)
            ? <Conflict what="list" here={action} now={now} />
            : faultyPlace === null && <Refusal problem={problem} />}
          <DoneNote query={query} sentences={t.done} />
        </div>
      )}
    </form>
  );
};
