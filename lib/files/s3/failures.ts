import { BlobsUnavailable } from "../blobs.ts";

/** What is known of a failed request, whoever reported it. */
interface Failure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** The permissions that Corbel's own key needs, as docs/storage.md spells them. */
const NEEDED = "s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, " +
  "s3:PutObject, s3:DeleteObject, s3:ListMultipartUploadParts and s3:AbortMultipartUpload on its objects";

/** What an operator should do about the refusals that have a name. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket: create it, or correct its name",
  InvalidAccessKeyId: "the access key id is unknown there: correct it, or the endpoint",
  SignatureDoesNotMatch: "the secret access key is not the one of the access key id: correct it",
  AccessDenied: `the access key is not allowed to do this: it needs ${NEEDED}`,
  PermanentRedirect: "the bucket is in another region: correct the region or the endpoint",
  AuthorizationHeaderMalformed: "the bucket is in another region: correct the region",
  IllegalLocationConstraintException: "the bucket is in another region: correct the region",
  SlowDown: "the store asks for fewer requests: try again later",
};

/** A refusal without a body, as every answer to HEAD, has no name but its status. */
const OF_STATUS: Readonly<Record<number, string>> = {
  301: ADVICE.PermanentRedirect!,
  403: "the store refuses the access key, or does not allow it to see whether an object exists: " +
    `it needs ${NEEDED}`,
};

/** With that variable `node:https` asks Deno for a right that no task can name. */
const MORE_AUTHORITIES =
  "NODE_EXTRA_CA_CERTS is set, which Corbel has no right to follow: unset it, " +
  "and name a file with your own authorities in DENO_CERT";

const SKEWED = new Set(["RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"]);

export const statusOf = (error: unknown): number | undefined =>
  (error as Failure).$metadata?.httpStatusCode;

export const nameOf = (error: unknown): string => (error as Failure).name ?? "";

/** What another try may get past: the connection, or the store itself, failed. */
export function isPassing(error: unknown): boolean {
  const { name, code } = error as Failure;
  if (code === "EBLOCKED") return false;
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || status === 429;
  return name === "TimeoutError" || /^E[A-Z]+$/.test(code ?? "");
}

/** @param store How to name it to an operator: bucket and endpoint. */
export function unavailable(store: string, cause: unknown): BlobsUnavailable {
  return new BlobsUnavailable(`${store} cannot be used: ${reasonOf(cause as Failure)}`, { cause });
}

function reasonOf(failure: Failure): string {
  const { name = "", code, message } = failure;
  const status = statusOf(failure);
  if (SKEWED.has(name)) return skew(failure.$response?.headers?.date);
  const advice = ADVICE[name] ?? (status === undefined ? undefined : OF_STATUS[status]);
  if (advice !== undefined) return `${advice} (${status} ${name})`;
  if (status !== undefined) return `it answered ${status} ${name}`;
  if (code === "EBLOCKED") return message!;
  if (name === "NotCapable") return MORE_AUTHORITIES;
  if (name === "TimeoutError" || name === "AbortError") return "it did not answer in time";
  return `it cannot be reached (${code ?? name})`;
}

function skew(date: string | undefined): string {
  const seconds = Math.round((Date.parse(date ?? "") - Date.now()) / 1000);
  const by = Number.isNaN(seconds)
    ? ""
    : ` by ${Math.abs(seconds)} s, being ${seconds > 0 ? "behind" : "ahead"}`;
  return `this machine's clock differs from the store's${by}: set it, best by NTP`;
}
