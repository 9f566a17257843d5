import type { Egress } from "../http/egress.ts";
import { EXTERNAL_PUT_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Id } from "../store/port.ts";
import type { Plans } from "../projects/plans.ts";
import { exactBytesText } from "../text/amounts.ts";
import { type ConfirmedUpload, confirmUpload } from "./confirm_upload.ts";
import { deleteFile } from "./delete_file.ts";
import { type ReceiveServices, receiveUpload } from "./receive_upload.ts";
import type { FileServices } from "./removals.ts";
import { type RequestedUpload, requestUpload, type UploadInput } from "./request_upload.ts";
import { sendUpload } from "./send_upload.ts";
import { INTERNAL } from "./stores.ts";
import { allFilesOf, findUpload } from "./uploads.ts";

export interface UploadServices extends FileServices, ReceiveServices {
  readonly plans: Plans;
  readonly egress: Egress;
}

/**
 * Request, upload and confirm in one, for a file that comes through us. What is refused is refused
 * before a byte is read; what is refused later, or cut off, leaves nothing. Throws what the three
 * throw.
 */
export async function uploadFile(
  services: UploadServices,
  projectId: Id,
  input: UploadInput,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ConfirmedUpload> {
  const requested = await requestUpload(services, projectId, input);
  const { filePath: path } = requested;
  try {
    await put(services, { projectId, requested, input }, chunks);
    return await confirmUpload(services, allFilesOf(projectId), {
      path,
      bytes: input.bytes,
    });
  } catch (error) {
    try {
      await deleteFile(services, allFilesOf(projectId), path);
    } catch (left) {
      services.log.write("warn", "An upload is left to expire", { path, error: String(left) });
    }
    throw error;
  }
}

/** To where the address leads: to ourselves, where files are kept in a folder. */
async function put(
  services: UploadServices,
  { projectId, requested, input }: {
    projectId: Id;
    requested: RequestedUpload;
    input: UploadInput;
  },
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { contentType, bytes } = input;
  if (requested.signedUrl === null) {
    throw new Problem("FILE_TOO_LARGE", {
      message: `A form sends files of ${exactBytesText(EXTERNAL_PUT_BYTES_MAX)} at most: use ` +
        "`resumableUrl`.",
    });
  }
  const url = new URL(requested.signedUrl);
  const row = await findUpload(services, projectId, requested.filePath);
  const isOurs = row?.target === INTERNAL;
  if (isOurs && services.localFiles !== null) {
    const token = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    await receiveUpload(services, { token, contentType, bytes, chunks: () => chunks });
  } else {
    const { agents } = services.egress;
    await sendUpload({ url, contentType, bytes, ...(!isOurs && { agents }) }, chunks);
  }
}
