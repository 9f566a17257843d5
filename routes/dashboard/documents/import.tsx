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
import { type ImportRow, importRows, validateRows } from "@/lib/operations/import_rows.ts";
import { refuseLargeJson, refuseManyRows } from "@/lib/operations/import_size.ts";
import { ImportPage, OutcomePage, PreviewPage } from "./import_pages.tsx";
import { type Context, documentsPath, loadContext, openTarget } from "./context.ts";
import { gridPath, readView } from "./view.ts";
import { readUploadForm, type UploadForm } from "./upload_form.ts";

export const showImport: PageHandler<ProjectMember, "collectionName"> = async (c) =>
  pageReply(<ImportPage context={await loadContext(c)} text="" problem={null} />);

/** Validates the rows and shows the result without storing documents. */
export const previewImport: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const [form, context, target] = [
    await readUploadForm(c.var.body, IMPORT_BYTES_MAX),
    await loadContext(c),
    await openTarget(c),
  ];
  const pasted = textField(form, "text");
  // deno-lint-ignore require-await -- The function may also throw synchronously.
  const result = await attempt(async () => validateRows(target, sentText(form, pasted)));
  if (result.problem !== null) {
    const { problem } = result;
    const page = <ImportPage context={context} text={pasted} problem={problem} />;
    return pageReply(page, { status: problem.status });
  }
  return pageReply(
    <PreviewPage context={context} sorted={result.value} once={c.var.services.newId()} />,
  );
};

const textField = (form: UploadForm, name: string): string => {
  const part = form.get(name);
  return part?.isText === true ? part.text : "";
};

/** Returns the text of the file, or else the pasted text. */
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

/** Stores the valid rows of the preview. An idempotency key prevents duplicates. */
export const runImport: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await readUploadForm(c.var.body, FORM_BYTES_MAX);
  const rows = sentRows(textField(form, "rows"));
  const once = textField(form, "once");
  const target = await openTarget(c);
  const failed = await importRows(c.var.services, target, { rows, idempotencyKey: once });
  if (failed.length === 0) {
    return seeOther(gridPath(readView(documentsPath(c), ""), { done: "imported" }));
  }
  const stored = rows.length - failed.length;
  return await outcomeReply(c, { stored, failed });
};

const outcomeReply = async (
  c: Context,
  outcome: { stored: number; failed: Awaited<ReturnType<typeof importRows>> },
) => pageReply(<OutcomePage context={await loadContext(c)} {...outcome} />, { status: 422 });

/** Number of JSON values of a row in addition to its cells, an upper bound. */
const VALUES_PER_ROW = 4;

/** Parses the rows that the preview page contains. Throws `INVALID_INPUT`. */
function sentRows(text: string): ImportRow[] {
  let rows: Json = null;
  refuseLargeJson(text, IMPORT_CELLS_MAX + VALUES_PER_ROW * IMPORT_ROWS_MAX);
  try {
    rows = parseJson(text);
  } catch {
    // Refused below, like any other text that is not a list of rows.
  }
  if (!Array.isArray(rows)) throw invalidPreview();
  refuseManyRows(rows);
  return rows.map((row) => {
    if (!isObject(row) || typeof row.number !== "number") throw invalidPreview();
    return { number: row.number, document: row.document ?? null };
  });
}

const invalidPreview = () =>
  new Problem("INVALID_INPUT", { message: texts().documents.importing.noPreview });
