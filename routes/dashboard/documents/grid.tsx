import { raw } from "hono/html";
import { canAskAi } from "@/lib/ai/keys.ts";
import {
  type DocumentList,
  listDocuments,
  parseDocuments,
} from "@/lib/documents/list_documents.ts";
import { listViews, type View as SavedView } from "@/lib/documents/views.ts";
import { queryTooSlow } from "../../as_problem.ts";
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
import { EmptyGrid } from "./empty.tsx";
import { currentPosition, LiveChanges } from "./live.tsx";
import { Pager } from "./pager.tsx";
import { loadShownNames } from "./references.ts";
import {
  type Context,
  documentsPath,
  type GridContext,
  loadContext,
  serverCaller,
} from "./context.ts";
import { type Rows, Table } from "./table.tsx";
import { AskedNote, type AskedQuestion, Toolbar } from "./toolbar.tsx";
import {
  isFiltered,
  isTrash,
  listQuery,
  readView,
  TRASH_DAYS,
  type View,
  viewText,
  withView,
} from "./view.ts";

export const showDocuments: PageHandler<ProjectMember, "collectionName"> = (c) =>
  gridReply(c, readView(documentsPath(c), c.var.state.query));

interface Feedback {
  readonly asked?: AskedQuestion;
  readonly problem?: Problem;
  readonly bulkFailure?: BulkFailure;
}

/** A bulk action that failed for some documents. */
interface BulkFailure {
  readonly act: BulkAct;
  readonly tally: Tally;
}

/** Replies with the grid. A refused query also gets the page, on which it can be corrected. */
export async function gridReply(c: Context, view: View, said: Feedback = {}) {
  const position = await currentPosition(c);
  const { services, principal } = c.var;
  const { projectId } = serverCaller(c);
  const [context, listed, views, canAsk] = await Promise.all([
    loadContext(c),
    loadList(c, view),
    listViews(services, projectId, c.req.valid("param").collectionName),
    canAskAi(services, principal),
  ]);
  const status = (said.problem ?? said.bulkFailure?.tally.failures[0] ?? said.asked?.problem ??
    listed.problem)?.status;
  const text = await gridText(c, { context, view, said, listed, position, views, canAsk });
  return pageReply(raw(text), status === undefined ? {} : { status });
}

interface GridData {
  readonly context: GridContext;
  readonly view: View;
  readonly said: Feedback;
  readonly listed: ListResult;
  readonly views: readonly SavedView[];
  readonly canAsk: boolean;
  /** Position in the project's changes up to which the list contains all changes. */
  readonly position: ChangePosition;
}

async function gridText(c: Context, shown: GridData): Promise<string> {
  const { context, view, listed: { list }, position } = shown;
  const documents = list === null ? [] : await parseDocuments(list);
  const columns = columnsOf(context.collection, view, documents);
  const rows = { columns, documents, names: await loadShownNames(c, columns, documents) };
  const { config: { publicUrl: origin }, livePositions } = c.var.services;
  const { projectId } = serverCaller(c);
  const after = livePositions.write(position, { projectId, collection: context.collection });
  return String(<GridPage {...shown} {...rows} origin={origin} after={after} />);
}

/** The list or its problem; the other one is null. */
interface ListResult {
  readonly list: DocumentList | null;
  readonly problem: Problem | null;
}

async function loadList(c: Context, view: View): Promise<ListResult> {
  try {
    const list = await listDocuments(c.var.services, serverCaller(c), {
      collectionName: c.req.valid("param").collectionName,
      query: listQuery(view),
    });
    return { list, problem: null };
  } catch (error) {
    const problem = error instanceof QueryTooSlow ? queryTooSlow(error) : error;
    if (!(problem instanceof Problem) || problem.code === "COLLECTION_NOT_FOUND") throw error;
    return { list: null, problem };
  }
}

const GridPage = (
  { context, view, said, listed, views, canAsk, columns, documents, names, origin, after }:
    & GridData
    & Rows
    & {
      origin: string;
      after: string;
    },
) => {
  const { frame, collection, path } = context;
  const { list } = listed;
  const { definition } = collection;
  const parts = { context, view, columns, documents };
  const { grid: t } = texts().documents;
  return (
    <ProjectShell frame={frame} title={definition.name} current={path}>
      <div class="grid-page">
        <CollectionBar frame={frame} collection={definition} current="documents">
          {list !== null && <LiveChanges context={context} view={view} after={after} />}
          <Actions context={context} view={view} />
        </CollectionBar>
        <Toolbar {...parts} asked={said.asked ?? null} views={views} canAsk={canAsk} />
        <AskedNote asked={said.asked ?? null} />
        <DoneWord word={view.done} sentences={{ ...t.done, deleted: t.deleted(TRASH_DAYS) }} />
        {said.problem && <Refusal problem={said.problem} />}
        {said.bulkFailure && <BulkFailureNote path={path} {...said.bulkFailure} />}
        {list === null
          ? <RefusedList problem={listed.problem} path={path} />
          : documents.length === 0
          ? <EmptyGrid context={context} view={view} isFiltered={isFiltered(view)} />
          : (
            <form class="grid-rows" method="post" action={`${path}/documents`}>
              <input type="hidden" name="view" value={viewText(view)} />
              <data-grid
                class="scroll"
                role="region"
                tabindex="0"
                aria-label={t.label}
                {...scriptTexts()}
              >
                <Table {...parts} names={names} />
              </data-grid>
              <Pager list={list} view={view} shown={documents.length}>
                {context.canWrite && (
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

function scriptTexts() {
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

const BulkFailureNote = (
  { path, act, tally: { done, failed, failures } }: BulkFailure & { path: string },
) => {
  const { bulk: t } = texts().documents;
  return (
    <div class="note bad" role="alert">
      <div>
        {t.undone(act, done, done + failed)}
        <ul>
          {failures.map(({ id, message }) => (
            <li>
              <a href={`${path}/documents/${id}`} class="mono">{id}</a>: {message}
            </li>
          ))}
        </ul>
        {failed > failures.length && t.moreUndone(failed - failures.length)}
      </div>
    </div>
  );
};

const Actions = ({ context: { path, canWrite }, view }: { context: GridContext; view: View }) => {
  const text = viewText(view);
  const { grid: t } = texts().documents;
  return (
    <>
      {canWrite && <a role="button" class="quiet" href={`${path}/import`}>{t.import}</a>}
      <details class="menu end" name="acts">
        <summary role="button" class="quiet">{t.export}</summary>
        <div hx-boost="false">
          <p>{t.allMatching}</p>
          <a href={exportPath(path, "csv", text)} download>CSV</a>
          <a href={exportPath(path, "excel", text)} download>{t.csvForExcel}</a>
          <a href={exportPath(path, "json", text)} download>JSON</a>
        </div>
      </details>
      {canWrite && <a role="button" href={withView(view, `${path}/new`)}>{t.create}</a>}
    </>
  );
};

const exportPath = (path: string, format: string, text: string): string =>
  `${path}/export?${[`.format=${format}`, text].filter((one) => one !== "").join("&")}`;

/** Actions that style sheets show while rows are selected. */
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

const RefusedList = ({ problem, path }: { problem: Problem | null; path: string }) => {
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
      "data-grid": ReturnType<typeof scriptTexts> & {
        class: string;
        role: string;
        tabindex: string;
        "aria-label": string;
        children?: unknown;
      };
    }
  }
}
