import { documentsOf, listDocuments } from "@/lib/documents/list_documents.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import type { DocumentWrite } from "@/lib/documents/prepare_write.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { messageOf } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { BULK_STEP_DOCUMENTS, GRID_ROWS_MAX } from "@/lib/limits.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import type { BulkAct } from "../texts/en/documents.tsx";
import { texts } from "../texts/mod.ts";
import { type CollectionContext, openTarget, serverOf } from "./room.ts";
import { listQuery, restarted, type View, withParameter } from "./view.ts";

/** What is done to several documents, with the word in the address that says it has been done. */
export const ACTS = {
  edit: "changed",
  delete: "deleted",
  remove: "removed",
  recover: "recovered",
} as const satisfies Record<BulkAct, string>;

/** A document to which it could not be done. */
export interface Failure {
  readonly status: number;
  readonly id: Id;
  readonly message: string;
}

/** What has been done so far. */
export interface Tally {
  readonly done: number;
  readonly failed: number;
  /** The first of those that failed. */
  readonly told: readonly Failure[];
}

/** To which documents something is done, and how far that has come. */
export interface Bulk {
  readonly act: BulkAct;
  readonly view: View;
  /** Null for all that match the view. */
  readonly ids: readonly Id[] | null;
  /** Where the next step begins; null for the first. */
  readonly cursor: string | null;
  readonly tally: Tally;
}

/** Of those that failed so many are told by their ids. */
const TOLD_MAX = 10;

/** Reads what a form asks for. Throws `INVALID_INPUT`, and `INVALID_ID`. */
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
      done: countIn(form, "done"),
      failed: countIn(form, "failed"),
      told: form.getAll("told").slice(0, TOLD_MAX).flatMap(failureIn),
    },
  };
}

const isAct = (name: string): name is BulkAct => Object.hasOwn(ACTS, name);

const invalid = (message: string) => new Problem("INVALID_INPUT", { message });

const countIn = (form: URLSearchParams, name: string): number => {
  const text = form.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
};

/** As a form carries it from one step to the next. */
export const failureText = ({ status, id, message }: Failure): string =>
  `${status} ${id} ${message}`;

function failureIn(text: string): Failure[] {
  const [, status, id, message] = /^(4\d\d) ([0-9a-f]{24}) (.*)$/s.exec(text) ?? [];
  return message === undefined ? [] : [{ status: Number(status), id: id!, message }];
}

/** How many documents it is about; null where nobody has counted. */
export async function sizeOf(c: CollectionContext, { ids, view }: Bulk): Promise<number | null> {
  if (ids !== null) return ids.length;
  const { total, totalIsEstimate } = await listDocuments(c.var.services, serverOf(c), {
    collectionName: c.req.valid("param").collectionName,
    query: listQuery(withParameter(allOf(view), "limit", "1")),
  });
  return totalIsEstimate ? null : total;
}

/** All that match, in an order that no change of theirs moves them in. */
const allOf = (view: View): View =>
  withParameter(withParameter(restarted(view), "sort", null), "fields", "_id");

interface Step {
  readonly ids: readonly Id[];
  /** Null after the last. */
  readonly next: string | null;
}

async function stepOf(c: CollectionContext, { ids, view, cursor }: Bulk): Promise<Step> {
  if (ids !== null) return { ids, next: null };
  const limit = String(BULK_STEP_DOCUMENTS);
  const asked = withParameter(withParameter(allOf(view), "limit", limit), "total", "none");
  const list = await listDocuments(c.var.services, serverOf(c), {
    collectionName: c.req.valid("param").collectionName,
    query: listQuery(asked) + (cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`),
  });
  const documents = await documentsOf(list);
  return { ids: documents.map(({ _id }) => _id), next: list.nextCursor };
}

/** A field and what it is set to. */
export interface NewValue {
  readonly field: FieldDefinition;
  readonly value: Json;
}

/**
 * Does it to the next documents, one after the other: what cannot be done to some is done to the
 * others. What it resolves to has a cursor as long as there are more.
 */
export async function doNext(
  c: CollectionContext,
  bulk: Bulk,
  change: NewValue | null,
): Promise<Bulk> {
  const target = await openTarget(c);
  const { ids, next } = await stepOf(c, bulk);
  const failures: Failure[] = [];
  for (const id of ids) {
    try {
      await writeDocument(c.var.services, target, writeOf(bulk.act, id, change));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (isDoneAlready(bulk.act, problem.code)) continue;
      failures.push({ status: problem.status, id, message: messageOf(problem) });
    }
  }
  const { tally } = bulk;
  return {
    ...bulk,
    cursor: next,
    tally: {
      done: tally.done + ids.length - failures.length,
      failed: tally.failed + failures.length,
      told: [...tally.told, ...failures].slice(0, TOLD_MAX),
    },
  };
}

function writeOf(act: BulkAct, id: Id, change: NewValue | null): DocumentWrite {
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

/** Somebody else was faster with it: it is as it should be. */
const isDoneAlready = (act: BulkAct, code: ProblemCode): boolean =>
  (act === "delete" || act === "remove") && code === "DOCUMENT_NOT_FOUND";
