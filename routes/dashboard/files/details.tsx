import { type FileUse, findFileUses } from "@/lib/documents/file_uses.ts";
import { type FileInfo, getFileInfo } from "@/lib/files/list_files.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { bytesText, counted } from "@/lib/text/amounts.ts";
import type { PageHandler } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { Copy } from "../components/copy.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { loadFrame } from "../frame.ts";
import { leaveFor, pageReply } from "../replies.ts";
import { isOutOfPlace } from "./files.tsx";
import { filesPathOf, FilesTabs } from "./files_tabs.tsx";
import { FileForms } from "./grid.tsx";
import { originsOf } from "./origins.ts";
import { sizeAddress, Thumbnail, withSizes } from "./thumbnail.tsx";

/** What addresses are offered of a picture, by their pixels across. */
const WIDTHS = [320, 640, 1280];

/** One file, and which documents hold it. */
export const showFileDetails: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const projectId = principal.project._id;
  const path = filesPathOf(c);
  const asked = new URLSearchParams(query).get("path") ?? "";
  const [frame, stored, uses] = await Promise.all([
    loadFrame(services, principal),
    getFileInfo(services, allFilesOf(projectId), asked),
    findFileUses(services, projectId, asked),
  ]);
  const file = withSizes(services, stored);
  const filesOrigin = await originsOf(services, projectId, [file]);
  if (filesOrigin !== null && isOutOfPlace(c)) {
    return leaveFor(`${path}/details?${query}`);
  }
  const page = (
    <ProjectShell frame={frame} title={file.filename} current={path}>
      <Bar title={file.filename}>
        <FilesTabs path={path} current={path} />
      </Bar>
      <div class="sheet">
        <article class="card">
          <Thumbnail file={file} class="thumb large" />
          <FileFacts file={file} home={frame.home} />
          {includes(frame.role, "admin") && (
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

const FileFacts = ({ file, home }: { file: FileInfo; home: string }) => (
  <dl class="facts">
    <dt>Path</dt>
    <dd>
      <code>{file.path}</code> <Copy text={file.path} />
    </dd>
    <dt>Address</dt>
    <dd>
      {file.url === null ? "none that everybody may read" : (
        <>
          <code>{file.url}</code> <Copy text={file.url} />
        </>
      )}
    </dd>
    <dt>Type</dt>
    <dd>{file.contentType}, {bytesText(file.size)}</dd>
    <dt>Read by</dt>
    <dd>{file.visibility === "private" ? "whoever has a signed address" : "everybody"}</dd>
    <dt>Uploaded</dt>
    <dd>
      <When at={file.createdAt} />
      {file.ownerId !== null && (
        <>
          {" "}by <a href={`${home}/users/${file.ownerId}`}>a user</a>
        </>
      )}
    </dd>
  </dl>
);

const Uses = ({ uses, file, home }: { uses: readonly FileUse[]; file: FileInfo; home: string }) => (
  <article class="card">
    <h2>Where it is used</h2>
    {uses.length === 0
      ? (
        <p>
          No document holds it in a field with <code>file: true</code>.
        </p>
      )
      : (
        <ul>
          {uses.map(({ collection, field, documents, inTrash }) => (
            <li>
              <a href={`${collectionPath(home, collection)}?${holding(field, file)}`}>
                {counted(documents, "document")} of {collection}
              </a>{" "}
              in <code>{field}</code>
              {inTrash > 0 && `, and ${inTrash} in the trash`}
            </li>
          ))}
        </ul>
      )}
  </article>
);

const holding = (field: string, { path }: FileInfo): string =>
  new URLSearchParams({ [field]: path }).toString();

const Sizes = ({ sizesUrl }: { sizesUrl: string }) => (
  <article class="card">
    <h2>Sizes</h2>
    <p>
      The picture in other sizes, in the format that a browser likes best. Each is made when it is
      first asked for.
    </p>
    <dl class="facts">
      {WIDTHS.map((width) => {
        const address = sizeAddress(sizesUrl, `w=${width}`);
        return (
          <>
            <dt>{width} pixels wide</dt>
            <dd>
              <code>{address}</code> <Copy text={address} />
            </dd>
          </>
        );
      })}
    </dl>
  </article>
);
