import { listDocuments, parseDocuments } from "@/lib/documents/list_documents.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { DocumentWrite } from "@/lib/documents/prepare_write.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { publicMessage } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { BULK_STEP_DOCUMENTS, GRID_ROWS_MAX } from "@/lib/limits.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import type { BulkAct } from "../texts/en/documents.tsx";
import { texts } from "../texts/mod.ts";
import { type Context, openTarget, serverCaller } from "./context.ts";
import { listQuery, toFirstPage, type View, withParameter } from "./view.ts";

/** Bulk actions with the word of the address that selects the success note. */
export const ACTS = {
  edit: "changed",
  delete: "deleted",
  remove: "removed",
  recover: "recovered",
} as const satisfies Record<BulkAct, string>;

export interface DocumentFailure {
  readonly status: number;
  readonly id: Id;
  readonly message: string;
}

export interface Tally {
  readonly done: number;
  readonly failed: number;
  /** First failures, at most {@linkcode FAILURES_LISTED_MAX}. */
  readonly failures: readonly DocumentFailure[];
}

export interface Bulk {
  readonly act: BulkAct;
  readonly view: View;
  /** Ids of the documents, or null for all that match the view. */
  readonly ids: readonly Id[] | null;
  /** Cursor of the next step; null for the first step. */
  readonly cursor: string | null;
  readonly tally: Tally;
}

/** Maximum number of failed documents that the page lists. */
const FAILURES_LISTED_MAX = 10;

/** Reads a bulk action from a form. Throws `INVALID_INPUT` or `INVALID_ID`. */
export function readBulk(form: URLSearchParams, view: View): Bulk {
  const act = form.get("act") ?? "";
  const isAll = form.get("all") === "yes";
  const ids = [...new Set(form.getAll("id"))];
  const { bulk: t } = texts().documents;
  if (!isAct(act) || (!isAll && ids.length === 0)) throw invalid(t.noneSelected);
  if (!isAll && ids.length > GRID_ROWS_MAX) {
    throw invalid(t.tooMany(GRID_ROWS_MAX));
  }
  return {
    act,
    view,
    ids: isAll ? null : ids.map(requiredId),
    cursor: form.get("cursor"),
    tally: {
      done: readCount(form, "done"),
      failed: readCount(form, "failed"),
      failures: form.getAll("told").slice(0, FAILURES_LISTED_MAX).flatMap(parseFailure),
    },
  };
}

const isAct = (name: string): name is BulkAct => Object.hasOwn(ACTS, name);

const invalid = (message: string) => new Problem("INVALID_INPUT", { message });

const readCount = (form: URLSearchParams, name: string): number => {
  const text = form.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
};

/** Returns a failure as a text that a form carries to the next step. */
export const failureText = ({ status, id, message }: DocumentFailure): string =>
  `${status} ${id} ${message}`;

function parseFailure(text: string): DocumentFailure[] {
  const [, status, id, message] = /^(4\d\d) ([0-9a-f]{24}) (.*)$/s.exec(text) ?? [];
  return message === undefined ? [] : [{ status: Number(status), id: id!, message }];
}

/** Returns the number of affected documents, or null if only an estimate is known. */
export async function countDocuments(c: Context, { ids, view }: Bulk): Promise<number | null> {
  if (ids !== null) return ids.length;
  const { total, totalIsEstimate } = await listDocuments(c.var.services, serverCaller(c), {
    collectionName: c.req.valid("param").collectionName,
    query: listQuery(withParameter(matchingView(view), "limit", "1")),
  });
  return totalIsEstimate ? null : total;
}

/** Returns the view of all matching documents, in an order that changes do not affect. */
const matchingView = (view: View): View =>
  withParameter(withParameter(toFirstPage(view), "sort", null), "fields", "_id");

interface BulkStep {
  readonly ids: readonly Id[];
  /** Cursor of the next step, or null after the last one. */
  readonly next: string | null;
}

async function findStep(c: Context, { ids, view, cursor }: Bulk): Promise<BulkStep> {
  if (ids !== null) return { ids, next: null };
  const limit = String(BULK_STEP_DOCUMENTS);
  const asked = withParameter(withParameter(matchingView(view), "limit", limit), "total", "none");
  const list = await listDocuments(c.var.services, serverCaller(c), {
    collectionName: c.req.valid("param").collectionName,
    query: listQuery(asked) + (cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`),
  });
  const documents = await parseDocuments(list);
  return { ids: documents.map(({ _id }) => _id), next: list.nextCursor };
}

export interface NewValue {
  readonly field: FieldDefinition;
  readonly value: Json;
}

/** Applies the action to the next documents one by one. A failure does not stop the step. */
export async function runStep(c: Context, bulk: Bulk, change: NewValue | null): Promise<Bulk> {
  const target = await openTarget(c);
  const { ids, next } = await findStep(c, bulk);
  const failures: DocumentFailure[] = [];
  for (const id of ids) {
    try {
      await writeDocument(c.var.services, target, toWrite(bulk.act, id, change));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (isAlreadyDone(bulk.act, problem.code)) continue;
      failures.push({ status: problem.status, id, message: publicMessage(problem) });
    }
  }
  const { tally } = bulk;
  return {
    ...bulk,
    cursor: next,
    tally: {
      done: tally.done + ids.length - failures.length,
      failed: tally.failed + failures.length,
      failures: [...tally.failures, ...failures].slice(0, FAILURES_LISTED_MAX),
    },
  };
}

function toWrite(act: BulkAct, id: Id, change: NewValue | null): DocumentWrite {
  switch (act) {
    case "recover":
      return { action: "recover", id };
    case "edit":
      return {
        action: "patch",
        id,
        body: change === null ? {} : { [change.field.key]: change.value },
        ifMatch: null,
      };
    default:
      return { action: "delete", id, permanent: act === "remove", ifMatch: null };
  }
}

/** Whether a problem means that the document was already deleted. */
const isAlreadyDone = (act: BulkAct, code: ProblemCode): boolean =>
  (act === "delete" || act === "remove") && code === "DOCUMENT_NOT_FOUND";
