import { GRID_ROWS_MAX, TRASH_MS } from "@/lib/limits.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageHandler } from "../../handler.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { counted } from "@/lib/text/amounts.ts";
import { pageReply, seeOther } from "../replies.ts";
import { type FailedDocument, gridReply } from "./grid.tsx";
import { type CollectionContext, openRoom, openTarget, pathOf, type Room } from "./room.ts";
import { hrefOf, readView, type View, viewText } from "./view.ts";

/** What is done to selected documents. */
const ACTS = {
  delete: { done: "deleted", asks: true },
  remove: { done: "removed", asks: true },
  recover: { done: "recovered", asks: false },
} as const;

type Act = keyof typeof ACTS;

/** What is lost is asked for first: the form comes again with `sure`. */
export const actOnDocuments: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readView(pathOf(c), form.get("view") ?? "");
  const name = form.get("act") ?? "";
  const ids = [...new Set(form.getAll("id"))];
  if (!Object.hasOwn(ACTS, name) || ids.length === 0) {
    const message = "Select documents first.";
    return await gridReply(c, view, { problem: new Problem("INVALID_INPUT", { message }) });
  }
  if (ids.length > GRID_ROWS_MAX) {
    const message = `Select at most ${GRID_ROWS_MAX} documents at once.`;
    return await gridReply(c, view, { problem: new Problem("INVALID_INPUT", { message }) });
  }
  const act = name as Act;
  if (ACTS[act].asks && form.get("sure") === null) {
    const room = await openRoom(c);
    return pageReply(<SurePage room={room} view={view} act={act} ids={ids.map(requiredId)} />);
  }
  const { done } = ACTS[act];
  const failed = await actOnEach(c, act, ids.map(requiredId));
  if (failed.length === 0) return seeOther(hrefOf(view, { done }));
  return await gridReply(c, view, { undone: { done, of: ids.length, failed } });
};

/** Somebody else was faster with it: it is as it should be. */
const DONE_ALREADY: readonly ProblemCode[] = ["DOCUMENT_NOT_FOUND"];

/** One after the other: what cannot be done to some is done to the others. */
async function actOnEach(
  c: CollectionContext,
  act: Act,
  ids: readonly Id[],
): Promise<FailedDocument[]> {
  const { services } = c.var;
  const target = await openTarget(c);
  const failed: FailedDocument[] = [];
  for (const id of ids) {
    try {
      await writeDocument(
        services,
        target,
        act === "recover"
          ? { action: "recover", id }
          : { action: "delete", id, permanent: act === "remove", ifMatch: null },
      );
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (act === "recover" || !DONE_ALREADY.includes(problem.code)) failed.push({ id, problem });
    }
  }
  return failed;
}

const SurePage = (
  { room, view, act, ids }: { room: Room; view: View; act: Act; ids: readonly Id[] },
) => {
  const { frame, collection, path } = room;
  const documents = counted(ids.length, "document");
  const isForGood = act === "remove";
  return (
    <ProjectShell frame={frame} title={`Delete ${documents}`} current={path}>
      <CollectionBar frame={frame} collection={collection.definition} current="documents" />
      <div class="sheet">
        <article class="card">
          <h2>{isForGood ? `Remove ${documents} for good?` : `Delete ${documents}?`}</h2>
          <p>
            {isForGood
              ? "Nobody can bring them back afterwards."
              : `They go to the trash, from which they can be recovered for ${
                TRASH_MS / 86_400_000
              } days.`}
          </p>
          <form method="post" action={`${path}/documents`}>
            <input type="hidden" name="view" value={viewText(view)} />
            <input type="hidden" name="act" value={act} />
            <input type="hidden" name="sure" value="yes" />
            {ids.map((id) => <input type="hidden" name="id" value={id} />)}
            <div class="acts">
              <button class="danger">
                {isForGood ? `Remove ${documents} for good` : `Delete ${documents}`}
              </button>
              <a role="button" class="quiet" href={hrefOf(view)}>Keep</a>
            </div>
          </form>
        </article>
      </div>
    </ProjectShell>
  );
};
