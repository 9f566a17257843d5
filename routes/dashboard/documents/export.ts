import type { StoredDocument } from "@/lib/documents/collection.ts";
import { type DocumentList, documentsOf, listDocuments } from "@/lib/documents/list_documents.ts";
import { SERVER_FIELDS } from "@/lib/documents/names.ts";
import { disposition } from "@/lib/http/disposition.ts";
import { COLUMNS_MAX } from "@/lib/limits.ts";
import { nextTurn } from "@/lib/next_turn.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { valueAt } from "@/lib/store/shape.ts";
import type { Handler } from "../../call.ts";
import { undeclared } from "./columns.ts";
import { csvText } from "./csv.ts";
import { type MemberCall, openTarget, pathOf, serverOf } from "./room.ts";
import { listQuery, readView, type View, withParameter } from "./view.ts";

/** Of one page of the walk: no more than these are held at once, nor more bytes of them. */
const PAGE = 100;
const PAGE_BYTES_MAX = 1_048_576;

/** Writes the documents of a page, and what stands around all of them. */
interface Format {
  readonly type: string;
  readonly begin: string;
  /** @param items Their JSON texts, joined by commas. */
  page(documents: readonly StoredDocument[], items: string, isFirst: boolean): string;
  readonly end: string;
}

/** Everything that the filters let through, a page at a time. */
export const exportDocuments: Handler<ProjectMember> = async (call) => {
  const wanted = new URLSearchParams(call.queryText).get(".format") ?? "";
  const view = readView(pathOf(call), call.queryText);
  const { collection } = await openTarget(call);
  const declared = collection.definition.fields.map(({ key }) => key);
  const first = await pageOf(call, view, null); // What is refused is refused before it has begun.
  const format = wanted === "json"
    ? JSON_FORMAT
    : csvFormat(view.columns ?? allColumns(documentsOf(first), declared));
  const name = `${collection.definition.name}.${wanted === "json" ? "json" : "csv"}`;
  return {
    status: 200,
    body: call.isHead ? null : streamOf(walk(call, view, first, format)),
    type: format.type,
    headers: [
      ["content-disposition", disposition("attachment", name)],
      ["cache-control", "no-store"],
      ["x-content-type-options", "nosniff"],
    ],
  };
};

async function pageOf(call: MemberCall, view: View, cursor: string | null): Promise<DocumentList> {
  const asked = withParameter(withParameter(view, "limit", String(PAGE)), "total", "none");
  const query = listQuery(asked) + (cursor === null ? "" : `&cursor=${cursor}`);
  const collectionName = call.param("collectionName");
  const list = await listDocuments(call.services, serverOf(call), {
    collectionName,
    query,
    bytesMax: PAGE_BYTES_MAX,
  });
  return list;
}

async function* walk(
  call: MemberCall,
  view: View,
  first: DocumentList,
  format: Format,
): AsyncGenerator<string> {
  let list = first;
  let documents = documentsOf(list);
  yield format.begin;
  for (;;) {
    if (documents.length > 0) yield format.page(documents, list.items, list === first);
    if (list.nextCursor === null) break;
    await nextTurn(); // A reader that is as fast as the store leaves others no gap.
    list = await pageOf(call, view, list.nextCursor);
    documents = documentsOf(list);
  }
  yield format.end;
}

/** One page ahead of the reader; who leaves ends the walk. A failure breaks the connection off. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

const JSON_FORMAT: Format = {
  type: "application/json; charset=utf-8",
  begin: "[",
  page: (_, items, isFirst) => `${isFirst ? "\n" : ",\n"}${items}`,
  end: "\n]\n",
};

const csvFormat = (columns: readonly string[]): Format => ({
  type: "text/csv; charset=utf-8; header=present",
  begin: csvText([columns]),
  page: (documents) => csvText(documents.map((one) => columns.map((path) => valueAt(one, path)))),
  end: "",
});

/** All that is declared, and what else the first documents hold. Throws `INVALID_QUERY`. */
function allColumns(
  first: readonly StoredDocument[],
  declared: readonly string[],
): readonly string[] {
  const [id, ...rest] = SERVER_FIELDS;
  const columns = [id, ...declared, ...undeclared(first, declared), ...rest];
  if (columns.length <= COLUMNS_MAX) return columns;
  throw new Problem("INVALID_QUERY", {
    message: `These documents have more than ${COLUMNS_MAX} fields: ` +
      "choose columns first, or export JSON.",
  });
}
