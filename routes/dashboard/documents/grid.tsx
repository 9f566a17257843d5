import { raw } from "hono/html";
import { canAskAi } from "@/lib/ai/keys.ts";
import { type DocumentList, documentsOf, listDocuments } from "@/lib/documents/list_documents.ts";
import { listViews, type View as SavedView } from "@/lib/documents/views.ts";
import { tooSlow } from "../../as_problem.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { ChangePosition } from "@/lib/store/port.ts";
import type { PageHandler } from "../../handler.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { DoneWord } from "../done.tsx";
import { pageReply } from "../replies.ts";
import type { BulkAct } from "../texts/en/documents.tsx";
import { texts } from "../texts/mod.ts";
import { ApiCall } from "./api_call.tsx";
import type { Tally } from "./bulk.ts";
import { columnsOf } from "./columns.ts";
import { Empty } from "./empty.tsx";
import { changesSoFar, LiveChanges } from "./live.tsx";
import { Pager } from "./pager.tsx";
import { namesShown } from "./references.ts";
import { type CollectionContext, openRoom, pathOf, type Room, serverOf } from "./room.ts";
import { type Rows, Table } from "./table.tsx";
import { type Asked, AskedNote, Toolbar } from "./toolbar.tsx";
import {
  beside,
  isFiltered,
  isTrash,
  listQuery,
  readView,
  TRASH_DAYS,
  type View,
  viewText,
} from "./view.ts";

export const showDocuments: PageHandler<ProjectMember, "collectionName"> = (c) =>
  gridReply(c, readView(pathOf(c), c.var.state.query));

/** What is said above the grid, beside what it shows. */
interface Feedback {
  readonly asked?: Asked;
  readonly problem?: Problem;
  readonly undone?: BulkFailure;
}

/** What could not be done to all. */
interface BulkFailure {
  readonly act: BulkAct;
  readonly tally: Tally;
}

/** The grid as a page. A query that the list refuses is a page, too, where it can be mended. */
export async function gridReply(c: CollectionContext, view: View, said: Feedback = {}) {
  const position = await changesSoFar(c);
  const { services, principal } = c.var;
  const { projectId } = serverOf(c);
  const [room, listed, views, canAsk] = await Promise.all([
    openRoom(c),
    listOf(c, view),
    listViews(services, projectId, c.req.valid("param").collectionName),
    canAskAi(services, principal),
  ]);
  const status = (said.problem ?? said.undone?.tally.told[0] ?? said.asked?.problem ??
    listed.problem)?.status;
  const text = await gridText(c, { room, view, said, listed, position, views, canAsk });
  return pageReply(raw(text), status === undefined ? {} : { status });
}

interface Shown {
  readonly room: Room;
  readonly view: View;
  readonly said: Feedback;
  readonly listed: Listed;
  readonly views: readonly SavedView[];
  /** Whether there is a key to ask an AI provider with. */
  readonly canAsk: boolean;
  /** Of the project's changes: all up to it are in the list. */
  readonly position: ChangePosition;
}

async function gridText(c: CollectionContext, shown: Shown): Promise<string> {
  const { room, view, listed: { list }, position } = shown;
  const documents = list === null ? [] : await documentsOf(list);
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

const GridPage = (
  { room, view, said, listed, views, canAsk, columns, documents, names, origin, after }:
    & Shown
    & Rows
    & {
      origin: string;
      after: string;
    },
) => {
  const { frame, collection, path } = room;
  const { list } = listed;
  const { definition } = collection;
  const parts = { room, view, columns, documents };
  const { grid: t } = texts().documents;
  return (
    <ProjectShell frame={frame} title={definition.name} current={path}>
      <div class="grid-page">
        <CollectionBar frame={frame} collection={definition} current="documents">
          {list !== null && <LiveChanges room={room} view={view} after={after} />}
          <Acts room={room} view={view} />
        </CollectionBar>
        <Toolbar {...parts} asked={said.asked ?? null} views={views} canAsk={canAsk} />
        <AskedNote asked={said.asked ?? null} />
        <DoneWord word={view.done} sentences={{ ...t.done, deleted: t.deleted(TRASH_DAYS) }} />
        {said.problem && <Refusal problem={said.problem} />}
        {said.undone && <UndoneNote path={path} {...said.undone} />}
        {list === null
          ? <Refused problem={listed.problem} path={path} />
          : documents.length === 0
          ? <Empty room={room} view={view} isFiltered={isFiltered(view)} />
          : (
            <form class="grid-rows" method="post" action={`${path}/documents`}>
              <input type="hidden" name="view" value={viewText(view)} />
              <data-grid
                class="scroll"
                role="region"
                tabindex="0"
                aria-label={t.label}
                {...scriptWords()}
              >
                <Table {...parts} names={names} />
              </data-grid>
              <Pager list={list} view={view} shown={documents.length}>
                {room.mayWrite && (
                  <SelectionActs isTrash={isTrash(view)} list={list} shown={documents.length} />
                )}
              </Pager>
            </form>
          )}
        <ApiCall origin={origin} definition={definition} query={listQuery(view)} />
      </div>
    </ProjectShell>
  );
};

/** What scripts say of a document beside the grid, and of a cell that is edited. */
function scriptWords() {
  const { panel, cell } = texts().documents.grid;
  return {
    "data-panel": panel.label,
    "data-close": panel.close,
    "data-page": panel.page,
    "data-leave": panel.leave,
    "data-keys": cell.keys("{field}"),
    "data-unreachable": cell.unreachable,
    "data-conflict": cell.conflict,
    "data-refused": cell.refused,
  };
}

/** Each by itself: what hinders one may be another thing than what hinders the next. */
const UndoneNote = (
  { path, act, tally: { done, failed, told } }: BulkFailure & { path: string },
) => {
  const { bulk: t } = texts().documents;
  return (
    <div class="note bad" role="alert">
      <div>
        {t.undone(act, done, done + failed)}
        <ul>
          {told.map(({ id, message }) => (
            <li>
              <a href={`${path}/documents/${id}`} class="mono">{id}</a>: {message}
            </li>
          ))}
        </ul>
        {failed > told.length && t.moreUndone(failed - told.length)}
      </div>
    </div>
  );
};

const Acts = ({ room: { path, mayWrite }, view }: { room: Room; view: View }) => {
  const text = viewText(view);
  const { grid: t } = texts().documents;
  return (
    <>
      {mayWrite && <a role="button" class="quiet" href={`${path}/import`}>{t.import}</a>}
      <details class="menu end" name="acts">
        <summary role="button" class="quiet">{t.export}</summary>
        <div hx-boost="false">
          <p>{t.allMatching}</p>
          <a href={exportPath(path, "csv", text)} download>CSV</a>
          <a href={exportPath(path, "excel", text)} download>{t.csvForExcel}</a>
          <a href={exportPath(path, "json", text)} download>JSON</a>
        </div>
      </details>
      {mayWrite && <a role="button" href={beside(view, `${path}/new`)}>{t.create}</a>}
    </>
  );
};

const exportPath = (path: string, format: string, text: string): string =>
  `${path}/export?${[`.format=${format}`, text].filter((one) => one !== "").join("&")}`;

/** Seen only while rows are selected. */
const SelectionActs = (
  { isTrash, list, shown }: { isTrash: boolean; list: DocumentList; shown: number },
) => {
  const { grid: t } = texts().documents;
  return (
    <span class="selected-acts">
      <small data-count={t.selected("{count}")}></small>
      {(list.nextCursor !== null || list.prevCursor !== null || (list.total ?? 0) > shown) && (
        <label>
          <input type="checkbox" name="all" value="yes" />
          {t.allMatching}
        </label>
      )}
      {isTrash
        ? (
          <>
            <button class="quiet" name="act" value="recover">{t.recoverSelected}</button>
            <button class="danger" name="act" value="remove">{t.removeSelected}</button>
          </>
        )
        : (
          <>
            <button class="quiet" name="act" value="edit">{t.editSelected}</button>
            <button class="danger" name="act" value="delete">{t.deleteSelected}</button>
          </>
        )}
    </span>
  );
};

const Refused = ({ problem, path }: { problem: Problem | null; path: string }) => {
  const { grid: t } = texts().documents;
  return (
    <div class="sheet">
      <Refusal problem={problem} />
      <p>
        {problem?.code === "QUERY_TOO_SLOW"
          ? t.tooSlow((text) => <a href={`${path}/fields`}>{text}</a>)
          : t.refused((text) => <a href={path}>{text}</a>)}
      </p>
    </div>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "data-grid": ReturnType<typeof scriptWords> & {
        class: string;
        role: string;
        tabindex: string;
        "aria-label": string;
        children?: unknown;
      };
    }
  }
}
