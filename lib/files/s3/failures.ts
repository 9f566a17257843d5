import { BlobsUnavailable } from "../blobs.ts";

/** Error of a failed request, thrown by the SDK, Node or Deno. */
interface S3Failure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** Permissions that the access key needs. docs/storage.md lists them as well. */
const NEEDED_PERMISSIONS =
  "s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, " +
  "s3:PutObject, s3:DeleteObject, s3:ListMultipartUploadParts and s3:AbortMultipartUpload on its objects";

/** Advice for operators, by the S3 error code. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket: create it, or correct its name",
  InvalidAccessKeyId: "the access key id is unknown there: correct it, or the endpoint",
  SignatureDoesNotMatch: "the secret access key is not the one of the access key id: correct it",
  AccessDenied: `the access key is not allowed to do this: it needs ${NEEDED_PERMISSIONS}`,
  PermanentRedirect: "the bucket is in another region: correct the region or the endpoint",
  AuthorizationHeaderMalformed: "the bucket is in another region: correct the region",
  IllegalLocationConstraintException: "the bucket is in another region: correct the region",
  SlowDown: "the store asks for fewer requests: try again later",
};

/** Advice by status, for responses without a body and so without a code, such as those to HEAD. */
const STATUS_ADVICE: Readonly<Record<number, string>> = {
  301: ADVICE.PermanentRedirect!,
  403: "the store refuses the access key, or does not allow it to see whether an object exists: " +
    `it needs ${NEEDED_PERMISSIONS}`,
};

/** If the variable is set, `node:https` needs a Deno permission that no task grants. */
const MORE_AUTHORITIES =
  "NODE_EXTRA_CA_CERTS is set, which Corbel is not permitted to read: unset it, " +
  "and name a file with your own authorities in DENO_CERT";

const SKEWED = new Set(["RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"]);

export const statusOf = (error: unknown): number | undefined =>
  (error as S3Failure).$metadata?.httpStatusCode;

export const errorName = (error: unknown): string => (error as S3Failure).name ?? "";

/** Whether a retry may succeed, because the connection or the store itself failed. */
export function isTransient(error: unknown): boolean {
  const { name, code } = error as S3Failure;
  if (code === "EBLOCKED") return false;
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || status === 429;
  return name === "TimeoutError" || /^E[A-Z]+$/.test(code ?? "");
}

/** Wraps an error. @param store Name of the bucket and its endpoint, for operators. */
export function unavailable(store: string, cause: unknown): BlobsUnavailable {
  return new BlobsUnavailable(`${store} cannot be used: ${reasonOf(cause as S3Failure)}`, {
    cause,
  });
}

function reasonOf(failure: S3Failure): string {
  const { name = "", code, message } = failure;
  const status = statusOf(failure);
  if (SKEWED.has(name)) return describeSkew(failure.$response?.headers?.date);
  const advice = ADVICE[name] ?? (status === undefined ? undefined : STATUS_ADVICE[status]);
  if (advice !== undefined) return `${advice} (${status} ${name})`;
  if (status !== undefined) return `it answered ${status} ${name}`;
  if (code === "EBLOCKED") return message!;
  if (name === "NotCapable") return MORE_AUTHORITIES;
  if (name === "TimeoutError" || name === "AbortError") return "it did not answer in time";
  return `it cannot be reached (${code ?? name})`;
}

function describeSkew(date: string | undefined): string {
  const seconds = Math.round((Date.parse(date ?? "") - Date.now()) / 1000);
  const by = Number.isNaN(seconds)
    ? ""
    : ` by ${Math.abs(seconds)} s, being ${seconds > 0 ? "behind" : "ahead"}`;
  return `this machine's clock differs from the store's${by}: set it, best by NTP`;
}
