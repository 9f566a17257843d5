import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { changeVisibility } from "@/lib/files/change_visibility.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { FileChanges, UploadInput } from "@/openapi/schemas/storage.ts";
import { type FileInfo, listFiles } from "@/lib/files/list_files.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { uploadFile } from "@/lib/files/upload_file.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { getStorageUsage, type Usage } from "@/lib/files/usage.ts";
import { readFileForm } from "@/lib/http/file_form.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { UPLOAD_HOLD_MS, UPLOAD_STALL_MS } from "@/lib/limits.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { asProblem } from "../../as_problem.ts";
import { Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { pagingOf } from "../paging.tsx";
import { attempt, leaveFor, pageReply, seeOther } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { filesPathOf, FilesTabs } from "./files_tabs.tsx";
import { originsOf } from "./origins.ts";
import { FileGrid } from "./grid.tsx";
import { withSizes } from "./thumbnail.tsx";
import { UploadCard } from "./upload_card.tsx";

const TILES = 48;

const NOTHING: RecordPage<FileInfo> = { items: [], nextCursor: null };

export const showFiles: PageHandler<ProjectMember> = (c) => filesPage(c);

/** The address of a form, looked at again later. */
export const backToFiles: PageHandler<ProjectMember> = (c) => seeOther(filesPathOf(c));

export const uploadByForm: PageHandler<ProjectMember> = async (c) => {
  const body = c.var.body.chunks({ stallMs: UPLOAD_STALL_MS, wholeMs: UPLOAD_HOLD_MS });
  const { problem } = await attemptStored(c, () => upload(c, body));
  if (problem === null) return seeOther(`${filesPathOf(c)}?done=uploaded`);
  await endBody(body);
  return await filesPage(c, { upload: problem });
};

/** As {@linkcode attempt}: that the store of files is down is said on the page, too. */
const attemptStored = <T,>(
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

/** Who does not read a body to its end says so. */
const endBody = (body: AsyncIterable<Uint8Array>) => body[Symbol.asyncIterator]().return?.();

export const deleteFileByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const path = (await c.var.body.form()).get("path") ?? "";
  const { problem } = await attemptStored(
    c,
    () => deleteFile(services, allFilesOf(principal.project._id), path),
  );
  if (problem === null) return seeOther(`${filesPathOf(c)}?done=deleted`);
  return await filesPage(c, { list: problem });
};

export const changeVisibilityByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const scope = allFilesOf(principal.project._id);
  const form = await c.var.body.form();
  const [path, visibility] = [form.get("path") ?? "", form.get("visibility") ?? ""];
  const { problem } = await attemptStored(c, () => {
    const change = parseInput(FileChanges, { path, visibility }, { problem: "INVALID_INPUT" });
    return changeVisibility(services, scope, change);
  });
  if (problem === null) return seeOther(`${filesPathOf(c)}?done=${visibility}`);
  return await filesPage(c, { list: problem });
};

/** Long enough for a browser to begin. */
const OPENED_SECONDS = 60;

/** Leads to where a private file is read. */
export const openFile: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const scope = allFilesOf(principal.project._id);
  const path = new URLSearchParams(query).get("path") ?? "";
  const { url } = await signFile(services, scope, { path, seconds: OPENED_SECONDS });
  return seeOther(url);
};

/** Why there is nothing new, and where that is said. */
interface Refused {
  readonly upload?: Problem;
  readonly list?: Problem;
}

async function filesPage(c: PageContext<ProjectMember>, refused: Refused = {}): Promise<Reply> {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const paging = pagingOf(query, TILES);
  const isFirst = paging.cursor === undefined;
  const [frame, usage, listed] = await Promise.all([
    loadFrame(services, principal),
    getStorageUsage(services, projectId),
    attemptStored(c, () => listFiles(services, allFilesOf(projectId), paging)),
  ]);
  const problem = refused.list ?? listed.problem;
  const { items: found, nextCursor } = listed.problem === null ? listed.value : NOTHING;
  const items = found.map((file) => withSizes(services, file));
  const filesOrigin = await originsOf(services, projectId, items);
  const path = filesPathOf(c);
  if (filesOrigin !== null && isOutOfPlace(c, refused)) {
    return leaveFor(query === "" ? path : `${path}?${query}`);
  }
  const mayChange = includes(frame.role, "admin");
  const t = texts().files;
  const page = (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <FilesTabs path={path} current={path} />
      </Bar>
      <div class="sheet wide">
        <DoneNote query={query} sentences={t.done} />
        {mayChange && (
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
            <p class="empty">{emptyText(isFirst, mayChange)}</p>
          )}
          <FileGrid files={items} path={path} mayChange={mayChange} />
          <Paging path={path} isFirst={isFirst} nextCursor={nextCursor} />
        </div>
      </div>
    </ProjectShell>
  );
  const { status } = refused.upload ?? problem ?? { status: 200 };
  return pageReply(page, { status, filesOrigin });
}

/**
 * A page that is put in the place of another has that one's policy, by which files of another
 * origin are neither shown nor sent: the browser opens this one by itself. What comes of a form of
 * this very page has the right policy.
 */
export const isOutOfPlace = (
  c: PageContext<ProjectMember>,
  { upload, list }: Refused = {},
): boolean =>
  c.req.header("hx-request") !== undefined && upload === undefined && list === undefined;

function emptyText(isFirst: boolean, mayChange: boolean): string {
  const t = texts().files.empty;
  if (!isFirst) return t.page;
  return mayChange ? t.admin : t.viewer;
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

/** What the project's files take, of what they may. */
const UsageBar = ({ usage: { used, reserved, limit } }: { usage: Usage }) => (
  <div>
    <Meter label={texts().files.used} used={used} limit={limit} bytes />
    {limit === null && <p class="muted">{texts().files.inOwnBucket}</p>}
    {reserved > 0 && <p class="muted">{texts().shared.heldForUploads(bytesText(reserved))}</p>}
  </div>
);
