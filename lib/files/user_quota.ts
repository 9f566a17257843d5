import type { Clock } from "../clock.ts";
import { USER_FILES_MAX, USER_OPEN_UPLOADS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { type FileSettings, isUserType } from "../projects/file_settings.ts";
import { and, eq, not, or } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { secondsToExpiry, unclaimed, unexpired } from "./ledger.ts";
import { type UploadRecord, UPLOADS } from "./uploads.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

export interface Uploader {
  readonly userId: Id;
  readonly rules: FileSettings;
}

/** Incremented by each transaction that adds an upload of the user, so that these run in turn. */
export const USER_UPLOADS = recordKind({
  name: "_userUploads",
  fields: {
    added: field.number,
  },
  indexes: [],
  trash: false,
});

type UserUploadsRecord = RecordOf<typeof USER_UPLOADS>;

/** Throws `FILE_TYPE_REFUSED` or `FILE_TOO_LARGE` if users may not upload the file. */
export function assertUserMayUpload(
  rules: FileSettings,
  { contentType, bytes }: Pick<UploadRecord, "contentType" | "bytes">,
): void {
  const { userFileBytesMax, userTypes } = rules;
  if (!isUserType(rules, contentType)) {
    throw new Problem("FILE_TYPE_REFUSED", {
      message: `Users of this project upload files of these types: ${userTypes.join(", ")}.`,
    });
  }
  if (bytes <= userFileBytesMax) return;
  throw new Problem("FILE_TOO_LARGE", {
    message:
      `The file is larger than ${exactBytesText(userFileBytesMax)}, the most that users may ` +
      "upload.",
  });
}

/** Creates the user's counter if it is missing, before a transaction uses it. */
export async function prepareUserQuota(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  { userId: _id }: Uploader,
): Promise<void> {
  await engine.records<UserUploadsRecord>(projectId, USER_UPLOADS)
    .upsert(eq("_id", _id), {}, { _id, added: 0 });
}

/** Adds up the rows, so no sum can drift. Throws `STORAGE_QUOTA_EXCEEDED`, `TOO_MANY_UPLOADS`. */
export async function chargeUserQuota(
  tx: Transaction,
  clock: Clock,
  { userId, rules: { userBytesMax } }: Uploader,
): Promise<void> {
  await tx.records<UserUploadsRecord>(USER_UPLOADS)
    .updateOne(eq("_id", userId), { increment: { added: 1 } });
  const rows = tx.records<UploadRecord>(UPLOADS);
  const { groups } = await rows.aggregate({
    filter: and(eq("ownerId", userId), or(eq("state", "confirmed"), isConfirmable(clock))),
    keys: [{ path: "state" }],
    figures: [{ op: "count" }, { op: "sum", path: "bytes" }],
    sort: [],
    limit: STATES_COUNT,
  });
  const states = groups.map(({ keys: [state], figures: [count, bytes] }) => ({
    isOpen: state !== "confirmed",
    count: Number(count),
    bytes: Number(bytes),
  }));
  const sum = (of: "count" | "bytes", all = states) => all.reduce((sum, one) => sum + one[of], 0);
  if (sum("count", states.filter(({ isOpen }) => isOpen)) > USER_OPEN_UPLOADS_MAX) {
    throw new Problem("TOO_MANY_UPLOADS", {
      message:
        `You have ${USER_OPEN_UPLOADS_MAX} open uploads: confirm or delete some of them, or ` +
        "wait as long as Retry-After says.",
      retryAfter: await secondsToExpiry(rows, clock, eq("ownerId", userId)),
    });
  }
  if (sum("bytes") <= userBytesMax && sum("count") <= USER_FILES_MAX) return;
  throw new Problem("STORAGE_QUOTA_EXCEEDED", {
    message: `You may have ${USER_FILES_MAX} files with ${exactBytesText(userBytesMax)} in all: ` +
      "delete some.",
  });
}

/** Number of values of `UploadState`. */
const STATES_COUNT = 3;

/** Matches uploads that can still be confirmed or are being confirmed. */
const isConfirmable = (clock: Clock): Filter => or(unexpired(clock), not(unclaimed(clock)));
