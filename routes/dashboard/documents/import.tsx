import {
  FORM_BYTES_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_CELLS_MAX,
  IMPORT_ROWS_MAX,
} from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";
import { decodeUtf8 } from "@/lib/text/utf8.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { type ImportRow, importRows, sortRows } from "@/lib/operations/import_rows.ts";
import { refuseLargeJson, refuseManyRows } from "@/lib/operations/import_size.ts";
import { ImportPage, OutcomePage, PreviewPage } from "./import_pages.tsx";
import { type CollectionContext, openRoom, openTarget, pathOf } from "./room.ts";
import { hrefOf, readView } from "./view.ts";
import { readUploadForm, type UploadForm } from "./upload_form.ts";

export const showImport: PageHandler<ProjectMember, "collectionName"> = async (c) =>
  pageReply(<ImportPage room={await openRoom(c)} text="" problem={null} />);

/** Says what would become of each row; nothing is stored. */
export const previewImport: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const [form, room, target] = [
    await readUploadForm(c.var.body, IMPORT_BYTES_MAX),
    await openRoom(c),
    await openTarget(c),
  ];
  const pasted = textField(form, "text");
  // deno-lint-ignore require-await -- What it throws is a refusal, too.
  const tried = await attempt(async () => sortRows(target, sentText(form, pasted)));
  if (tried.problem !== null) {
    const { problem } = tried;
    const page = <ImportPage room={room} text={pasted} problem={problem} />;
    return pageReply(page, { status: problem.status });
  }
  return pageReply(<PreviewPage room={room} sorted={tried.value} once={c.var.services.newId()} />);
};

const textField = (form: UploadForm, name: string): string => {
  const part = form.get(name);
  return part?.isText === true ? part.text : "";
};

/** The file, or what was pasted in its place. */
function sentText(form: UploadForm, pasted: string): string {
  const file = form.get("file");
  const { noFile, notUtf8 } = texts().documents.importing;
  if (file === undefined || !file.isFile || file.size === 0) {
    if (pasted.trim() !== "") return pasted.replaceAll("\r\n", "\n");
    throw new Problem("INVALID_INPUT", { message: noFile });
  }
  try {
    return decodeUtf8(file.bytes);
  } catch (cause) {
    throw new Problem("INVALID_INPUT", { message: notUtf8, cause });
  }
}

/** Stores what the preview found good. Sent again, it stores nothing twice. */
export const runImport: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await readUploadForm(c.var.body, FORM_BYTES_MAX);
  const rows = sentRows(textField(form, "rows"));
  const once = textField(form, "once");
  const target = await openTarget(c);
  const failed = await importRows(c.var.services, target, { rows, once });
  if (failed.length === 0) {
    return seeOther(hrefOf(readView(pathOf(c), ""), { done: "imported" }));
  }
  const stored = rows.length - failed.length;
  return await outcomeReply(c, { stored, failed });
};

const outcomeReply = async (
  c: CollectionContext,
  outcome: { stored: number; failed: Awaited<ReturnType<typeof importRows>> },
) => pageReply(<OutcomePage room={await openRoom(c)} {...outcome} />, { status: 422 });

/** The row, its number and its document, and the comma before the next. */
const VALUES_AROUND = 4;

/** Rows as the preview sent them along. Throws `INVALID_INPUT`. */
function sentRows(text: string): ImportRow[] {
  let rows: Json = null;
  refuseLargeJson(text, IMPORT_CELLS_MAX + VALUES_AROUND * IMPORT_ROWS_MAX);
  try {
    rows = parseJson(text);
  } catch {
    // Refused below, as whatever else is no list of rows.
  }
  if (!Array.isArray(rows)) throw strange();
  refuseManyRows(rows);
  return rows.map((row) => {
    if (!isObject(row) || typeof row.number !== "number") throw strange();
    return { number: row.number, document: row.document ?? null };
  });
}

const strange = () =>
  new Problem("INVALID_INPUT", { message: texts().documents.importing.noPreview });
