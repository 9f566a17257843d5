/** What only the operations on files refuse for; part of the one catalogue. */
export const FILE_PROBLEMS = {
  INVALID_UPLOAD: {
    status: 400,
    message: "The upload is not described as it must be.",
    when: "A member is missing or not of its form; the message names it.",
    remedy: "Correct the member that the message names: `filename`, `contentType` and " +
      "`size` describe the file.",
  },
  SIZE_MISMATCH: {
    status: 400,
    message: "The size is not the one that was requested.",
    when: "Confirm names another size than the request did, or another number of bytes arrived; " +
      "in the second case the upload is over and its space is free again.",
    remedy: "Take `size` from the file itself (`file.size`), for the request as for the " +
      "confirm. Where other bytes arrived, request a new upload.",
  },
  UPLOAD_TOO_SHORT: {
    status: 400,
    message: "Fewer bytes arrived than were announced: send the whole file again.",
    when: "The body ended before the announced size; the URL can be used again.",
    remedy: "Send the whole file to the same URL again, with a resumable upload where " +
      "connections are poor.",
  },
  STORAGE_QUOTA_EXCEEDED: {
    status: 403,
    message: "The project's storage has no room for this file: delete files, or use a larger plan.",
    when:
      "Used space, held space and this file together exceed the plan's storage, or what a user " +
      "of the project may have.",
    remedy: "Delete files, cancel open uploads, or change to a larger plan. The project " +
      "sets what each of its users may have.",
  },
  UPLOAD_TOKEN_INVALID: {
    status: 403,
    message: "The upload URL is not valid: request a new one.",
    when: "The token of the URL was altered, has expired, or was made for something else.",
    remedy: "Request a new upload, and use its URL unchanged until it expires.",
  },
  FILE_ADDRESS_INVALID: {
    status: 403,
    message: "The address of this file has expired, or was altered: ask for another.",
    when:
      "The signature of a private file's address does not fit its path and time, or the time is over.",
    remedy: "Ask for a new address of the file right before it is shown, and use it " +
      "unchanged.",
  },
  FILE_NOT_FOUND: {
    status: 404,
    message: "There is no such file.",
    when: "The path is not one of this project's files: unknown, removed, expired or foreign.",
    remedy: "List the files, and use a path as it stands there. A user sees only files of " +
      "their own.",
  },
  UPLOAD_NOT_READY: {
    status: 409,
    message: "The file is not there yet: try again in a moment.",
    when: "No bytes have arrived so far, or another confirm is at work; nothing was changed.",
    remedy: "Wait as long as `Retry-After` says, and confirm after the upload has " +
      "answered. If no bytes arrive, request a new upload.",
  },
  UPLOAD_FINISHED: {
    status: 409,
    message: "This upload is over: request a new one.",
    when: "The file was confirmed or deleted before the last byte arrived.",
    remedy: "Request a new upload, and confirm it only after its last byte is sent.",
  },
  UPLOAD_OFFSET_MISMATCH: {
    status: 409,
    message: "The upload has come to another place: ask how far with HEAD, and go on from there.",
    when: "Another number of bytes has arrived than `Upload-Offset` says, or the store has lost " +
      "some of them.",
    remedy: "Ask by `HEAD` for the present `Upload-Offset`, and send the bytes from there " +
      "on.",
  },
  UPLOAD_GONE: {
    status: 410,
    message: "This upload is over: request a new one.",
    when: "It was confirmed or deleted, or nothing arrived for as long as it is kept.",
    remedy: "Request a new upload, and send the file from its beginning.",
  },
  TUS_VERSION_UNSUPPORTED: {
    status: 412,
    message: "Uploads are resumed by version 1.0.0 of the tus protocol.",
    when: "Another version is named by `Tus-Resumable`.",
    remedy: "Send `Tus-Resumable: 1.0.0`, as tus-js-client and other clients of version 1 " +
      "of the protocol do.",
  },
  UPLOAD_LOCKED: {
    status: 423,
    message: "Another connection brings bytes of this upload: try again in a moment.",
    when: "A connection that came later goes on with the upload, or an earlier one does not end; " +
      "or a confirm is at work.",
    remedy: "Wait as long as `Retry-After` says, and send one piece at a time.",
  },
  CHECKSUM_MISMATCH: {
    status: 460,
    message: "The bytes are not those of the checksum: send them again.",
    when: "What arrived does not have the digest of `Upload-Checksum`; none of it is kept.",
    remedy: "Send the same piece again. If it stays, check that the digest is of exactly " +
      "these bytes, in base64.",
  },
  STORAGE_IN_USE: {
    status: 409,
    message: "Files are in the project's present storage: delete them first.",
    when:
      "Another endpoint or bucket is set, or the bucket is disconnected, while files are in it; " +
      "the message has their number.",
    remedy: "Delete or move the files that the message counts, then change the storage.",
  },
  FILE_TOO_LARGE: {
    status: 413,
    message: "The file is larger than one file may be.",
    when: "The size exceeds the plan's maximum for a file, that of the project's own storage, or " +
      "that of users.",
    remedy: "Send a smaller file, or raise the limit that applies: the plan's, the " +
      "storage's or that of users.",
  },
  UPLOAD_TOO_LONG: {
    status: 413,
    message: "The body is longer than the upload that was requested.",
    when: "The announced length, or what arrived, exceeds the requested size.",
    remedy: "Request the upload with the file's real size, and send nothing beside the " +
      "file.",
  },
  UPLOAD_TYPE_MISMATCH: {
    status: 415,
    message: "Send the file with the Content-Type that was requested.",
    when: "The Content-Type of the body is not the one of the upload request.",
    remedy: "Send the `Content-Type` of the upload request with the bytes, parameters " +
      "included.",
  },
  TYPE_MISMATCH: {
    status: 415,
    message: "The file is something else than its content type says: request a new upload.",
    when: "A picture, a PDF, an archive, audio or video was announced, and its first bytes are " +
      "those of something else. The upload is over and its space is free again.",
    remedy: "Request the upload with the file's real type: a wrong ending is often the " +
      "reason.",
  },
  FILE_TYPE_REFUSED: {
    status: 415,
    message: "Users of this project do not upload files of this type.",
    when: "The `contentType` is none of the project's `userTypes`; the message lists them.",
    remedy: "Use one of the types that the message lists, or add this one to the " +
      "project's `userTypes`.",
  },
  PICTURE_UNUSABLE: {
    status: 422,
    message: "There are no sizes of this file: it is no picture that can be read.",
    when:
      "A size is asked for of a file that is no JPEG, PNG, WebP, AVIF or GIF picture, that is " +
      "broken, or that takes more to be read than one picture may.",
    remedy: "Ask for the file without a size, or store it again as a sound JPEG, PNG, " +
      "WebP, AVIF or GIF.",
  },
  TOO_MANY_UPLOADS: {
    status: 429,
    message: "There are too many open uploads: confirm or delete some of them, or wait as " +
      "long as Retry-After says.",
    when:
      "As many uploads of the project, or of the user, as are allowed are neither confirmed nor " +
      "deleted nor expired.",
    remedy: "Confirm uploads as soon as their bytes have arrived, and cancel those that " +
      "are given up.",
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: "The file has no such range.",
    when: "The ranges are malformed, more than 50, or none of them lies within the file.",
    remedy: "Ask for bytes below the size that `Content-Range` tells, or leave the header " +
      "out.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: "The file storage cannot be used at the moment: try again.",
    when: "The store of the files does not answer, or does not let the service in.",
    remedy: "Repeat it after `Retry-After`. Who owns the storage checks its address and " +
      "keys on the page of files, or in the log.",
  },
} as const;
