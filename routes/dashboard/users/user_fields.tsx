import { sha256 } from "@/lib/crypto/hashes.ts";
import { DEFINITION_FORM_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { saveUserFields, type UserField } from "@/lib/users/user_fields.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { blamedPlace } from "../collections/blame.ts";
import { type DraftField, draftOf, inputOf } from "../collections/draft.ts";
import { changeDraft, type Place, readDraft } from "../collections/draft_form.ts";
import { AllFieldRows, type RowsContext } from "../collections/field_rows.tsx";
import { Conflict, isConflict, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { UsersTabs } from "./users_tabs.tsx";

/** The form as it stands. */
interface Entered {
  readonly rows: readonly DraftField[];
  /** Of the fields that it was made from. */
  readonly tag: string;
  readonly focus: Place | null;
  readonly problem: Problem | null;
}

const rowsOf = (fields: readonly UserField[]): DraftField[] =>
  draftOf(fields).map((row, i) => ({ ...row, public: fields[i]!.public }));

const givenOf = (rows: readonly DraftField[]) =>
  inputOf(rows).map((field, i) => ({ ...field, public: rows[i]!.public }));

const tagOf = (fields: readonly UserField[]): string => sha256(JSON.stringify(fields));

export const showUserFields: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const fields = await services.userFields.of(principal.project._id);
  const entered = { rows: rowsOf(fields), tag: tagOf(fields), focus: null, problem: null };
  return pageReply(await fieldsPage(c, fields, entered));
};

/** Saves the rows, or does what a button beside them says, which saves nothing. */
export const changeUserFields: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form(DEFINITION_FORM_FIELDS_MAX);
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const fields = await services.userFields.of(projectId);
  const [act, tag] = [form.get("act") ?? "save", form.get("tag") ?? tagOf(fields)];
  const rows = readDraft(form);
  if (act !== "save") {
    const { fields: changed, focus } = changeDraft(rows, act);
    return pageReply(await fieldsPage(c, fields, { rows: changed, tag, focus, problem: null }));
  }
  const { problem } = await attempt(async () => {
    if ((form.get("over") ?? tag) !== tagOf(fields)) throw new Problem("PRECONDITION_FAILED");
    await saveUserFields(services, projectId, givenOf(rows));
  });
  if (problem === null) return seeOther(`${homeOf(projectId)}/users/fields?done=saved`);
  const page = await fieldsPage(c, fields, { rows, tag, focus: null, problem });
  return pageReply(page, { status: problem.status });
};

async function fieldsPage(
  c: PageContext<ProjectMember>,
  stored: readonly UserField[],
  entered: Entered,
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
        <FieldsForm frame={frame} entered={entered} now={tagOf(stored)} query={query} />
      </div>
    </ProjectShell>
  );
}

const FieldsForm = (
  { frame, entered, now, query }: { frame: Frame; entered: Entered; now: string; query: string },
) => {
  const t = texts().users.fields;
  const { rows, tag, problem } = entered;
  const action = `${frame.home}/users/fields`;
  const canEdit = includes(frame.role, "admin");
  const blamed = problem === null ? null : blamedPlace(problem, rows);
  const context: RowsContext = {
    of: "users",
    targets: ["users", ...frame.collections.map(({ name }) => name)],
    ownerField: null,
    canEdit,
    focus: blamed ?? entered.focus,
    refused: blamed === null ? null : { place: blamed, problem: problem! },
  };
  return (
    // The page stays where it is: what was pressed and what comes of it are seen together.
    <form method="post" action={action} hx-swap="innerHTML show:none">
      {/* Enter in a text field presses the first button of a form. */}
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
            : blamed === null && <Refusal problem={problem} />}
          <DoneNote query={query} sentences={t.done} />
        </div>
      )}
    </form>
  );
};
