import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { changeVisibility } from "@/lib/files/change_visibility.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { FileChanges, UploadInput } from "@/openapi/schemas/storage.ts";
import { type FileInfo, listFiles } from "@/lib/files/list_files.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { uploadFile } from "@/lib/files/upload_file.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { getStorageUsage, type StorageUsage } from "@/lib/files/usage.ts";
import { readFileForm } from "@/lib/http/file_form.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { UPLOAD_HOLD_MS, UPLOAD_STALL_MS } from "@/lib/limits.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { asProblem } from "../../as_problem.ts";
import { Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { readPaging } from "../paging.tsx";
import { attempt, pageReply, redirectScript, seeOther } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { filesPath, FilesTabs } from "./files_tabs.tsx";
import { findFileOrigins } from "./origins.ts";
import { FileGrid } from "./grid.tsx";
import { withSizes } from "./thumbnail.tsx";
import { UploadCard } from "./upload_card.tsx";

const PAGE_FILES_MAX = 48;

const NO_FILES: RecordPage<FileInfo> = { items: [], nextCursor: null };

export const showFiles: PageHandler<ProjectMember> = (c) => filesPage(c);

/** Redirects a GET of a form's address to the list of files. */
export const backToFiles: PageHandler<ProjectMember> = (c) => seeOther(filesPath(c));

export const uploadByForm: PageHandler<ProjectMember> = async (c) => {
  const body = c.var.body.chunks({ stallMs: UPLOAD_STALL_MS, totalMs: UPLOAD_HOLD_MS });
  const { problem } = await attemptWithStorage(c, () => upload(c, body));
  if (problem === null) return seeOther(`${filesPath(c)}?done=uploaded`);
  await cancelBody(body);
  return await filesPage(c, { upload: problem });
};

/** Like {@linkcode attempt}, but an unavailable file storage is also a problem for the page. */
const attemptWithStorage = <T,>(
  { var: { state, services } }: PageContext<ProjectMember>,
  work: () => Promise<T>,
) =>
  attempt(async () => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BlobsUnavailable ? asProblem(error, state, services.log) : error;
    }
  });

async function upload(
  c: PageContext<ProjectMember>,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { services, principal } = c.var;
  const { filename, contentType, bytes: size, chunks } = await readFileForm({
    contentType: c.req.header("content-type") ?? null,
    contentLength: c.req.header("content-length") ?? null,
  }, body);
  const file = parseInput(UploadInput, { filename, contentType, size }, {
    memberProblem: "INVALID_UPLOAD",
  });
  const input = { filename, contentType, bytes: file.size };
  await uploadFile(services, principal.project._id, input, chunks);
}

/** Cancels a body that is not read to its end. */
const cancelBody = (body: AsyncIterable<Uint8Array>) => body[Symbol.asyncIterator]().return?.();

export const deleteFileByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const path = (await c.var.body.form()).get("path") ?? "";
  const { problem } = await attemptWithStorage(
    c,
    () => deleteFile(services, allFilesOf(principal.project._id), path),
  );
  if (problem === null) return seeOther(`${filesPath(c)}?done=deleted`);
  return await filesPage(c, { list: problem });
};

export const changeVisibilityByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const scope = allFilesOf(principal.project._id);
  const form = await c.var.body.form();
  const [path, visibility] = [form.get("path") ?? "", form.get("visibility") ?? ""];
  const { problem } = await attemptWithStorage(c, () => {
    const change = parseInput(FileChanges, { path, visibility }, { problem: "INVALID_INPUT" });
    return changeVisibility(services, scope, change);
  });
  if (problem === null) return seeOther(`${filesPath(c)}?done=${visibility}`);
  return await filesPage(c, { list: problem });
};

/** Lifetime of an address in seconds, enough for a browser to start loading. */
const OPENED_SECONDS = 60;

/** Redirects to a signed address of a private file. */
export const openFile: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const scope = allFilesOf(principal.project._id);
  const path = new URLSearchParams(query).get("path") ?? "";
  const { url } = await signFile(services, scope, { path, seconds: OPENED_SECONDS });
  return seeOther(url);
};

/** Problems of a refused form, by the place of the message. */
interface RefusedFileForm {
  readonly upload?: Problem;
  readonly list?: Problem;
}

async function filesPage(
  c: PageContext<ProjectMember>,
  refused: RefusedFileForm = {},
): Promise<Reply> {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const paging = readPaging(query, PAGE_FILES_MAX);
  const isFirst = paging.cursor === undefined;
  const [frame, usage, listed] = await Promise.all([
    loadFrame(services, principal),
    getStorageUsage(services, projectId),
    attemptWithStorage(c, () => listFiles(services, allFilesOf(projectId), paging)),
  ]);
  const problem = refused.list ?? listed.problem;
  const { items: found, nextCursor } = listed.problem === null ? listed.value : NO_FILES;
  const items = found.map((file) => withSizes(services, file));
  const filesOrigin = await findFileOrigins(services, projectId, items);
  const path = filesPath(c);
  if (filesOrigin !== null && needsReload(c, refused)) {
    return redirectScript(query === "" ? path : `${path}?${query}`);
  }
  const canChange = roleIncludes(frame.role, "admin");
  const t = texts().files;
  const page = (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <FilesTabs path={path} current={path} />
      </Bar>
      <div class="sheet wide">
        <DoneNote query={query} sentences={t.done} />
        {canChange && (
          <UploadCard
            path={path}
            projectId={projectId}
            usage={usage}
            problem={refused.upload ?? null}
          />
        )}
        <div id="files" class="files-now">
          <UsageBar usage={usage} />
          <Refusal problem={problem ?? null} />
          {items.length === 0 && problem === null && (
            <p class="empty">{emptyText(isFirst, canChange)}</p>
          )}
          <FileGrid files={items} path={path} canChange={canChange} />
          <Paging path={path} isFirst={isFirst} nextCursor={nextCursor} />
        </div>
      </div>
    </ProjectShell>
  );
  const { status } = refused.upload ?? problem ?? { status: 200 };
  return pageReply(page, { status, filesOrigin });
}

/** Whether the browser must load the page, because another page's policy forbids its files. */
export const needsReload = (
  c: PageContext<ProjectMember>,
  { upload, list }: RefusedFileForm = {},
): boolean =>
  c.req.header("hx-request") !== undefined && upload === undefined && list === undefined;

function emptyText(isFirst: boolean, canChange: boolean): string {
  const t = texts().files.empty;
  if (!isFirst) return t.page;
  return canChange ? t.admin : t.viewer;
}

const Paging = (
  { path, isFirst, nextCursor }: { path: string; isFirst: boolean; nextCursor: string | null },
) => {
  const t = texts().files.pages;
  return (
    <nav class="pages" aria-label={t.label}>
      {!isFirst && <a href={path}>{t.first}</a>}
      {nextCursor !== null && (
        <a href={`${path}?${new URLSearchParams({ cursor: nextCursor })}`}>{t.next}</a>
      )}
    </nav>
  );
};

const UsageBar = ({ usage: { used, reserved, limit } }: { usage: StorageUsage }) => (
  <div>
    <Meter label={texts().files.used} used={used} limit={limit} bytes />
    {limit === null && <p class="muted">{texts().files.inOwnBucket}</p>}
    {reserved > 0 && <p class="muted">{texts().shared.heldForUploads(bytesText(reserved))}</p>}
  </div>
);
