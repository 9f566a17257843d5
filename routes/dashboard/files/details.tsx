import { type FileUse, findFileUses } from "@/lib/documents/file_uses.ts";
import { type FileInfo, getFileInfo } from "@/lib/files/list_files.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { Copy } from "../components/copy.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { loadFrame } from "../frame.ts";
import { pageReply, redirectScript } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { needsReload } from "./files.tsx";
import { filesPath, FilesTabs } from "./files_tabs.tsx";
import { FileForms } from "./grid.tsx";
import { findFileOrigins } from "./origins.ts";
import { sizeAddress, Thumbnail, withSizes } from "./thumbnail.tsx";

/** Widths in pixels of the resized pictures whose addresses are shown. */
const WIDTHS = [320, 640, 1280];

export const showFileDetails: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const path = filesPath(c);
  const requestedPath = new URLSearchParams(query).get("path") ?? "";
  const [frame, stored, uses] = await Promise.all([
    loadFrame(services, principal),
    getFileInfo(services, allFilesOf(projectId), requestedPath),
    findFileUses(services, projectId, requestedPath),
  ]);
  const file = withSizes(services, stored);
  const filesOrigin = await findFileOrigins(services, projectId, [file]);
  if (filesOrigin !== null && needsReload(c)) return redirectScript(`${path}/details?${query}`);
  const page = (
    <ProjectShell frame={frame} title={file.filename} current={path}>
      <Bar title={file.filename}>
        <FilesTabs path={path} current={path} />
      </Bar>
      <div class="sheet">
        <article class="card">
          <Thumbnail file={file} class="thumb large" />
          <FileFacts file={file} home={frame.home} />
          {roleIncludes(frame.role, "admin") && (
            <div class="acts">
              <FileForms file={file} path={path} />
            </div>
          )}
        </article>
        <Uses uses={uses} file={file} home={frame.home} />
        {stored.sizesUrl !== null && <Sizes sizesUrl={stored.sizesUrl} />}
      </div>
    </ProjectShell>
  );
  return pageReply(page, { filesOrigin });
};

const FileFacts = ({ file, home }: { file: FileInfo; home: string }) => {
  const t = texts().files.details;
  const when = <When at={file.createdAt} />;
  return (
    <dl class="facts">
      <dt>{t.path}</dt>
      <dd>
        <CopyableText text={file.path} />
      </dd>
      <dt>{t.address}</dt>
      <dd>{file.url === null ? t.noAddress : <CopyableText text={file.url} />}</dd>
      <dt>{t.type}</dt>
      <dd>{file.contentType}, {bytesText(file.size)}</dd>
      <dt>{t.readBy}</dt>
      <dd>{t.readers[file.visibility]}</dd>
      <dt>{t.uploaded}</dt>
      <dd>
        {file.ownerId === null ? when : t.uploadedBy(
          when,
          (text) => <a href={`${home}/users/${file.ownerId}`}>{text}</a>,
        )}
      </dd>
    </dl>
  );
};

const CopyableText = ({ text }: { text: string }) => (
  <>
    <code>{text}</code> <Copy text={text} />
  </>
);

const Uses = ({ uses, file, home }: { uses: readonly FileUse[]; file: FileInfo; home: string }) => {
  const t = texts().files.uses;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {uses.length === 0 ? <p>{t.none()}</p> : (
        <ul>
          {uses.map((use) => (
            <li>
              <Use use={use} path={collectionPath(home, use.collection)} file={file} />
            </li>
          ))}
        </ul>
      )}
    </article>
  );
};

const Use = ({ use, path, file }: { use: FileUse; path: string; file: FileInfo }) => {
  const { collection, field, documents, inTrash } = use;
  const t = texts().files.uses;
  const link = (
    <a href={`${path}?${usesQuery(field, file)}`}>{t.documents(documents, collection)}</a>
  );
  const name = <code>{field}</code>;
  return inTrash === 0 ? t.inField(link, name) : t.inFieldAndTrash(link, name, inTrash);
};

const usesQuery = (field: string, { path }: FileInfo): string =>
  new URLSearchParams({ [field]: path }).toString();

const Sizes = ({ sizesUrl }: { sizesUrl: string }) => {
  const t = texts().files.sizes;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <dl class="facts">
        {WIDTHS.map((width) => (
          <>
            <dt>{t.wide(width)}</dt>
            <dd>
              <CopyableText text={sizeAddress(sizesUrl, `w=${width}`)} />
            </dd>
          </>
        ))}
      </dl>
    </article>
  );
};
