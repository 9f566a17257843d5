import type { FileInfo } from "@/lib/files/list_files.ts";
import { Copy } from "../components/copy.tsx";
import { ConfirmForm } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { webUrl } from "./origins.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface GridProps {
  readonly files: readonly FileInfo[];
  readonly path: string;
  readonly canChange: boolean;
}

export const detailsPath = (path: string, file: string): string =>
  `${path}/details?${new URLSearchParams({ path: file })}`;

export const FileGrid = ({ files, path, canChange }: GridProps) => (
  <ul class="tiles">
    {files.map((file) => <Tile file={file} path={path} canChange={canChange} />)}
  </ul>
);

const Tile = ({ file, path, canChange }: { file: FileInfo; path: string; canChange: boolean }) => {
  const { filename, contentType, size, createdAt, visibility, ownerId } = file;
  const users = path.replace(/files$/, "users");
  const url = webUrl(file.url)?.href ?? null;
  const isPrivate = visibility === "private";
  const address = isPrivate ? `${path}/open?${new URLSearchParams({ path: file.path })}` : url;
  const t = texts().files.tile;
  return (
    <li class="tile">
      <Thumbnail file={file} />
      <b title={filename}>
        {address === null
          ? filename
          : <a href={address} target="_blank" rel="noopener noreferrer">{filename}</a>}
      </b>
      <small title={contentType}>{bytesText(size)} · {contentType}</small>
      <small>
        <When at={createdAt} />
      </small>
      {isPrivate && (
        <small>
          <span class="badge">{t.private}</span>
        </small>
      )}
      {address === null && <small>{t.noAddress}</small>}
      {ownerId !== null && (
        <small>{t.owner((text) => <a href={`${users}/${ownerId}`}>{text}</a>)}</small>
      )}
      <div class="acts">
        <a href={detailsPath(path, file.path)}>{t.details}</a>
        {url !== null && <Copy text={url} label={t.copyUrl} />}
        {canChange && <FileForms file={file} path={path} />}
      </div>
    </li>
  );
};

export const FileForms = ({ file, path }: { file: FileInfo; path: string }) => {
  const isPrivate = file.visibility === "private";
  const t = texts().files;
  return (
    <>
      <form method="post" action={`${path}/visibility`}>
        <input type="hidden" name="path" value={file.path} />
        <input type="hidden" name="visibility" value={isPrivate ? "public" : "private"} />
        <button class="quiet">{isPrivate ? t.makePublic : t.makePrivate}</button>
      </form>
      <ConfirmForm
        label={texts().shared.delete}
        loss={t.deleteLoss(bytesText(file.size))}
        action={`${path}/delete`}
        button={t.deleteForGood}
      >
        <input type="hidden" name="path" value={file.path} />
      </ConfirmForm>
    </>
  );
};
