/** Problems of operations on files, part of `PROBLEMS`. */
export const FILE_PROBLEMS = {
  INVALID_UPLOAD: {
    status: 400,
    message: "The description of the upload is not valid.",
    when: "A member is missing or not valid; the message names it.",
    remedy: "Correct the member that the message names: `filename`, `contentType` and " +
      "`size` describe the file.",
  },
  SIZE_MISMATCH: {
    status: 400,
    message: "The size is not the one that was requested.",
    when:
      "The confirmation has another size than the request, or another number of bytes arrived. " +
      "In the second case the upload is deleted and its space is free again.",
    remedy:
      "Use `file.size` as the `size` of the request and the confirmation. If another number " +
      "of bytes arrived, request a new upload.",
  },
  UPLOAD_TOO_SHORT: {
    status: 400,
    message: "Fewer bytes arrived than were announced: send the complete file again.",
    when: "The body ended before the announced size; the URL can be used again.",
    remedy: "Send the complete file to the same URL again, or use a resumable upload if the " +
      "connection is poor.",
  },
  STORAGE_QUOTA_EXCEEDED: {
    status: 403,
    message: "The project's storage has no room for this file: delete files, or use a larger plan.",
    when: "Stored files, open uploads and this file together exceed the storage of the plan, or " +
      "the project's limit for a user.",
    remedy:
      "Delete files, cancel open uploads, or change to a larger plan. Members of the project " +
      "set the limit for its users.",
  },
  UPLOAD_TOKEN_INVALID: {
    status: 403,
    message: "The upload URL is not valid: request a new one.",
    when: "The token of the URL was altered, has expired, or is for another upload.",
    remedy: "Request a new upload, and use its URL unchanged until it expires.",
  },
  FILE_ADDRESS_INVALID: {
    status: 403,
    message: "The address of this file has expired or was altered: request a new one.",
    when: "The signature of a private file's address is not valid or has expired.",
    remedy: "Request a new address of the file right before you show it, and use it unchanged.",
  },
  FILE_NOT_FOUND: {
    status: 404,
    message: "There is no such file.",
    when: "The project has no file with this path: it is unknown, removed, expired or belongs to " +
      "another project.",
    remedy: "List the files, and use a path of the list. A user sees only their own files.",
  },
  UPLOAD_NOT_READY: {
    status: 409,
    message: "The file is not there yet: try again in a moment.",
    when: "No bytes have arrived yet, or another confirmation is in progress; nothing was changed.",
    remedy: "Wait as long as `Retry-After` says, and confirm after the upload has been answered. " +
      "If no bytes arrive, request a new upload.",
  },
  UPLOAD_FINISHED: {
    status: 409,
    message: "This upload is over: request a new one.",
    when: "The file was confirmed or deleted before the last byte arrived.",
    remedy: "Request a new upload, and confirm it only after its last byte is sent.",
  },
  UPLOAD_OFFSET_MISMATCH: {
    status: 409,
    message: "The upload has another offset: request it with HEAD, and continue from there.",
    when: "Another number of bytes has arrived than `Upload-Offset` says, or the store has lost " +
      "some of them.",
    remedy:
      "Send a `HEAD` request for the current `Upload-Offset`, and send the bytes from there " +
      "on.",
  },
  UPLOAD_GONE: {
    status: 410,
    message: "This upload is over: request a new one.",
    when: "The upload was confirmed or deleted, or it expired because no bytes arrived.",
    remedy: "Request a new upload, and send the file from its beginning.",
  },
  TUS_VERSION_UNSUPPORTED: {
    status: 412,
    message: "Resumable uploads use version 1.0.0 of the tus protocol.",
    when: "The header `Tus-Resumable` has another version.",
    remedy: "Send `Tus-Resumable: 1.0.0`, for example with tus-js-client or another client for " +
      "version 1 of the protocol.",
  },
  UPLOAD_LOCKED: {
    status: 423,
    message: "Another connection sends bytes of this upload: try again in a moment.",
    when: "A later connection has taken over the upload, an earlier one has not ended, or a " +
      "confirmation is in progress.",
    remedy: "Wait as long as `Retry-After` says, and send one part at a time.",
  },
  CHECKSUM_MISMATCH: {
    status: 460,
    message: "The bytes do not match the checksum: send them again.",
    when:
      "The bytes that arrived do not have the digest of `Upload-Checksum`; they were discarded.",
    remedy:
      "Send the same part again. If the error persists, check that the digest is of exactly " +
      "these bytes, in base64.",
  },
  STORAGE_IN_USE: {
    status: 409,
    message: "The project's current storage contains files: delete them first.",
    when:
      "The endpoint or bucket is changed or disconnected while it contains files; the message " +
      "has their number.",
    remedy: "Delete or move the files that the message counts, then change the storage.",
  },
  FILE_TOO_LARGE: {
    status: 413,
    message: "The file is larger than the maximum size of a file.",
    when:
      "The size exceeds the maximum size of a file of the plan, of the project's own storage, " +
      "or for users.",
    remedy: "Send a smaller file, or raise the limit that applies: the limit of the plan, of the " +
      "storage or for users.",
  },
  UPLOAD_TOO_LONG: {
    status: 413,
    message: "The body is longer than the upload that was requested.",
    when: "The announced length, or the number of bytes that arrived, exceeds the requested size.",
    remedy: "Request the upload with the real size of the file, and send only the file.",
  },
  UPLOAD_TYPE_MISMATCH: {
    status: 415,
    message: "Send the file with the Content-Type that was requested.",
    when: "The Content-Type of the body is not the one of the upload request.",
    remedy: "Send the bytes with the `Content-Type` of the upload request, including its " +
      "parameters.",
  },
  TYPE_MISMATCH: {
    status: 415,
    message: "The file does not match its content type: request a new upload.",
    when:
      "A picture, a PDF, an archive, audio or video was announced, but the first bytes are of " +
      "another type. The upload is deleted and its space is free again.",
    remedy: "Request the upload with the real type of the file. Often the file name has a wrong " +
      "extension.",
  },
  FILE_TYPE_REFUSED: {
    status: 415,
    message: "Users of this project cannot upload files of this type.",
    when: "The `contentType` is not among the project's `userTypes`; the message lists them.",
    remedy: "Use one of the types that the message lists, or add this type to the project's " +
      "`userTypes`.",
  },
  PICTURE_UNUSABLE: {
    status: 422,
    message: "The file has no other sizes: it is not a picture that can be read.",
    when: "A size was requested of a file that is not a JPEG, PNG, WebP, AVIF or GIF picture, is " +
      "damaged, or exceeds the limits for reading a picture.",
    remedy: "Request the file without a size, or store it again as a valid JPEG, PNG, WebP, AVIF " +
      "or GIF picture.",
  },
  TOO_MANY_UPLOADS: {
    status: 429,
    message: "There are too many open uploads: confirm or delete some of them, or wait as " +
      "long as Retry-After says.",
    when: "The project or the user has the maximum number of uploads that are neither confirmed " +
      "nor deleted nor expired.",
    remedy: "Confirm uploads as soon as their bytes have arrived, and cancel unused uploads.",
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: "The file has no such range.",
    when: "The ranges are malformed, more than 50, or all beyond the end of the file.",
    remedy: "Request bytes below the size in `Content-Range`, or omit the header.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: "The file storage cannot be used at the moment: try again.",
    when: "The file store does not answer, or refuses the service's credentials.",
    remedy: "Repeat the request after `Retry-After`. The owner of the storage can check its " +
      "address and keys on the page of files, or in the log.",
  },
} as const;
