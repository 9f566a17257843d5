import { raw } from "hono/html";
import { canAskAi } from "@/lib/ai/keys.ts";
import { type DocumentList, documentsOf, listDocuments } from "@/lib/documents/list_documents.ts";
import { messageOf } from "@/lib/http/respond.ts";
import { tooSlow } from "../../as_problem.ts";
import { TRASH_MS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { ChangePosition, Id } from "@/lib/store/port.ts";
import type { PageHandler } from "../../handler.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { counted, countText } from "@/lib/text/amounts.ts";
import { ProjectShell } from "../components/shell.tsx";
import { DoneWord } from "../done.tsx";
import { pageReply } from "../replies.ts";
import { ApiCall } from "./api_call.tsx";
import { columnsOf } from "./columns.ts";
import { Empty } from "./empty.tsx";
import { changesSoFar, LiveChanges } from "./live.tsx";
import { Pager } from "./pager.tsx";
import { namesShown } from "./references.ts";
import { type CollectionContext, openRoom, pathOf, type Room, serverOf } from "./room.ts";
import { type Rows, Table } from "./table.tsx";
import { type Asked, AskedNote, Toolbar } from "./toolbar.tsx";
import { beside, isFiltered, isTrash, listQuery, readView, type View, viewText } from "./view.ts";

export const showDocuments: PageHandler<ProjectMember, "collectionName"> = (c) =>
  gridReply(c, readView(pathOf(c), c.var.state.query));

/** What is said above the grid, beside what it shows. */
interface Feedback {
  readonly asked?: Asked;
  readonly problem?: Problem;
  readonly undone?: BulkFailure;
}

export interface FailedDocument {
  readonly id: Id;
  readonly problem: Problem;
}

/** What could not be done to all that were selected. */
interface BulkFailure {
  /** What has been done to the others. */
  readonly done: string;
  /** How many were selected. */
  readonly of: number;
  readonly failed: readonly FailedDocument[];
}

/** The grid as a page. A query that the list refuses is a page, too, where it can be mended. */
export async function gridReply(c: CollectionContext, view: View, said: Feedback = {}) {
  const position = await changesSoFar(c);
  const { services, principal } = c.var;
  const [room, listed, canAsk] = await Promise.all([
    openRoom(c),
    listOf(c, view),
    canAskAi(services, principal),
  ]);
  const problem = said.problem ?? said.undone?.failed[0]?.problem ?? said.asked?.problem ??
    listed.problem;
  const text = await gridText(c, { room, view, said, listed, position, canAsk });
  return pageReply(raw(text), { ...(problem && { status: problem.status }) });
}

interface Shown {
  readonly room: Room;
  readonly view: View;
  readonly said: Feedback;
  readonly listed: Listed;
  /** Whether there is a key to ask an AI provider with. */
  readonly canAsk: boolean;
  /** Of the project's changes: all up to it are in the list. */
  readonly position: ChangePosition;
}

async function gridText(c: CollectionContext, shown: Shown): Promise<string> {
  const { room, view, listed: { list }, position } = shown;
  const documents = list === null ? [] : documentsOf(list);
  const columns = columnsOf(room.collection, view, documents);
  const rows = { columns, documents, names: await namesShown(c, columns, documents) };
  const { config: { publicUrl: origin }, livePositions } = c.var.services;
  const { projectId } = serverOf(c);
  const after = livePositions.write(position, { projectId, collection: room.collection });
  return String(<GridPage {...shown} {...rows} origin={origin} after={after} />);
}

/** Either of them is null. */
interface Listed {
  readonly list: DocumentList | null;
  readonly problem: Problem | null;
}

async function listOf(c: CollectionContext, view: View): Promise<Listed> {
  try {
    const list = await listDocuments(c.var.services, serverOf(c), {
      collectionName: c.req.valid("param").collectionName,
      query: listQuery(view),
    });
    return { list, problem: null };
  } catch (error) {
    const problem = error instanceof QueryTooSlow ? tooSlow(error) : error;
    if (!(problem instanceof Problem) || problem.code === "COLLECTION_NOT_FOUND") throw error;
    return { list: null, problem };
  }
}

const DONE = {
  created: "Created.",
  saved: "Saved.",
  deleted: `Deleted. The trash keeps it for ${TRASH_MS / 86_400_000} days.`,
  recovered: "Recovered.",
  removed: "Removed for good.",
  imported: "All rows are imported.",
};

const GridPage = (
  { room, view, said, listed, canAsk, columns, documents, names, origin, after }: Shown & Rows & {
    origin: string;
    after: string;
  },
) => {
  const { frame, collection, path } = room;
  const { list } = listed;
  const { definition } = collection;
  const parts = { room, view, columns, documents };
  return (
    <ProjectShell frame={frame} title={definition.name} current={path}>
      <div class="grid-page">
        <CollectionBar frame={frame} collection={definition} current="documents">
          {list !== null && <LiveChanges room={room} view={view} after={after} />}
          <Acts room={room} view={view} />
        </CollectionBar>
        <Toolbar {...parts} asked={said.asked ?? null} canAsk={canAsk} />
        <AskedNote asked={said.asked ?? null} />
        <DoneWord word={view.done} sentences={DONE} />
        {said.problem && <Refusal problem={said.problem} />}
        {said.undone && <UndoneNote path={path} {...said.undone} />}
        {list === null
          ? <Refused problem={listed.problem} path={path} />
          : documents.length === 0
          ? <Empty room={room} view={view} isFiltered={isFiltered(view)} />
          : (
            <form class="grid-rows" method="post" action={`${path}/documents`}>
              <input type="hidden" name="view" value={viewText(view)} />
              <data-grid class="scroll" role="region" tabindex="0" aria-label="Documents">
                <Table {...parts} names={names} />
              </data-grid>
              <Pager list={list} view={view} shown={documents.length}>
                {room.mayWrite && <SelectionActs isTrash={isTrash(view)} />}
              </Pager>
            </form>
          )}
        <ApiCall origin={origin} definition={definition} query={listQuery(view)} />
      </div>
    </ProjectShell>
  );
};

/** Each by itself: what hinders one may be another thing than what hinders the next. */
const UndoneNote = ({ path, done, of, failed }: BulkFailure & { path: string }) => (
  <div class="note bad" role="alert">
    <div>
      {`${countText(of - failed.length)} of ${counted(of, "document")} ${done}. Not these:`}
      <ul>
        {failed.map(({ id, problem }) => (
          <li>
            <a href={`${path}/documents/${id}`} class="mono">{id}</a>: {messageOf(problem)}
          </li>
        ))}
      </ul>
    </div>
  </div>
);

const Acts = ({ room: { path, mayWrite }, view }: { room: Room; view: View }) => {
  const text = viewText(view);
  return (
    <>
      {mayWrite && <a role="button" class="quiet" href={`${path}/import`}>Import</a>}
      <details class="menu end" name="acts">
        <summary role="button" class="quiet">Export</summary>
        <div hx-boost="false">
          <p>All matching documents</p>
          <a href={exportPath(path, "csv", text)} download>CSV</a>
          <a href={exportPath(path, "json", text)} download>JSON</a>
        </div>
      </details>
      {mayWrite && <a role="button" href={beside(view, `${path}/new`)}>New document</a>}
    </>
  );
};

const exportPath = (path: string, format: string, text: string): string =>
  `${path}/export?${[`.format=${format}`, text].filter((one) => one !== "").join("&")}`;

/** Seen only while rows are selected. */
const SelectionActs = ({ isTrash }: { isTrash: boolean }) => (
  <span class="selected-acts">
    <small data-count></small>
    {isTrash
      ? (
        <>
          <button class="quiet" name="act" value="recover">Recover selected</button>
          <button class="danger" name="act" value="remove">Remove selected for good</button>
        </>
      )
      : <button class="danger" name="act" value="delete">Delete selected</button>}
  </span>
);

const Refused = ({ problem, path }: { problem: Problem | null; path: string }) => (
  <div class="sheet">
    <Refusal problem={problem} />
    <p>
      {problem?.code === "QUERY_TOO_SLOW"
        ? (
          <>
            Declare it in <a href={`${path}/fields`}>the fields</a>, or take a filter away.
          </>
        )
        : (
          <>
            Change or remove a filter above, or <a href={path}>show everything</a>.
          </>
        )}
    </p>
  </div>
);
