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
import { INTERNAL_TARGET } from "./stores.ts";
import { allFilesOf, findUpload } from "./uploads.ts";

export interface UploadServices extends FileServices, ReceiveServices {
  readonly plans: Plans;
  readonly egress: Egress;
}

/** Refuses before it reads bytes. Deletes the upload if a later step fails. */
export async function uploadFile(
  services: UploadServices,
  projectId: Id,
  input: UploadInput,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ConfirmedUpload> {
  const requested = await requestUpload(services, projectId, input);
  const { filePath: path } = requested;
  try {
    await sendBytes(services, { projectId, requested, input }, chunks);
    return await confirmUpload(services, allFilesOf(projectId), {
      path,
      bytes: input.bytes,
    });
  } catch (error) {
    try {
      await deleteFile(services, allFilesOf(projectId), path);
    } catch (failure) {
      services.log.write("warn", "An upload is left to expire", { path, error: String(failure) });
    }
    throw error;
  }
}

/** Sends the bytes to the signed URL, or stages them if this server has the store. */
async function sendBytes(
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
  const isInternal = row?.target === INTERNAL_TARGET;
  if (isInternal && services.localFiles !== null) {
    const token = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    await receiveUpload(services, { token, contentType, bytes, chunks: () => chunks });
  } else {
    const { agents } = services.egress;
    await sendUpload({ url, contentType, bytes, ...(!isInternal && { agents }) }, chunks);
  }
}
