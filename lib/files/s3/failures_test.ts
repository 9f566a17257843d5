import assert from "node:assert/strict";
import { isTransient, unavailable } from "./failures.ts";

/** Returns an error as the SDK throws it. */
const failure = (name: string, status?: number, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error("the store's own words"), {
    name,
    ...(status !== undefined && { $metadata: { httpStatusCode: status } }),
    ...more,
  });

const STORE = 'The bucket "files" at https://s3.example';

Deno.test("unavailable explains the failure with advice, without the store's own words", () => {
  for (
    const [error, expected] of [
      [failure("NoSuchBucket", 404), /there is no such bucket: create it/],
      [failure("InvalidAccessKeyId", 403), /access key id is unknown there/],
      [failure("SignatureDoesNotMatch", 403), /secret access key is not the one/],
      [failure("AccessDenied", 403), /needs s3:ListBucket and .* on the bucket, and s3:GetObject/],
      [failure("Unknown", 403), /refuses the access key, or .* \(403 Unknown\)/],
      [failure("PermanentRedirect", 301), /another region/],
      [failure("AuthorizationHeaderMalformed", 400), /correct the region/],
      [failure("SlowDown", 503), /fewer requests/],
      [failure("InternalError", 500), /it answered 500 InternalError/],
      [failure("TimeoutError", undefined, { code: "ETIMEDOUT" }), /did not answer in time/],
      [failure("AbortError"), /did not answer in time/],
      [failure("NotCapable"), /NODE_EXTRA_CA_CERTS.*DENO_CERT/],
      [failure("Error", undefined, { code: "ENOTFOUND" }), /cannot be reached \(ENOTFOUND\)/],
    ] as const
  ) {
    const { message, cause } = unavailable(STORE, error);
    assert.ok(message.startsWith(`${STORE} cannot be used: `), message);
    assert.match(message, expected);
    assert.doesNotMatch(message, /own words/);
    assert.equal(cause, error);
  }
});

Deno.test("unavailable reports by how much the clock is wrong, if the store sends its time", () => {
  const at = (ms: number) => new Date(Date.now() + ms).toUTCString();
  const skewed = (headers: Record<string, string>) =>
    unavailable(STORE, failure("RequestTimeTooSkewed", 403, { $response: { headers } })).message;
  assert.match(
    skewed({ date: at(3_600_000) }),
    /differs from the store's by 3\d{3} s, being behind/,
  );
  assert.match(
    skewed({ date: at(-3_600_000) }),
    /differs from the store's by 36\d\d s, being ahead/,
  );
  assert.match(skewed({}), /differs from the store's: set it, best by NTP/);
});

Deno.test("isTransient accepts only broken connections and failures of the store", () => {
  const transient = [
    failure("InternalError", 500),
    failure("SlowDown", 503),
    failure("TooManyRequests", 429),
    failure("TimeoutError"),
    failure("Error", undefined, { code: "ECONNRESET" }),
  ];
  const permanent = [
    failure("AccessDenied", 403),
    failure("NoSuchKey", 404),
    failure("PreconditionFailed", 412),
    failure("EgressRefused", undefined, { code: "EBLOCKED" }),
    failure("TypeError"),
  ];
  for (const error of transient) assert.ok(isTransient(error), error.name);
  for (const error of permanent) assert.ok(!isTransient(error), error.name);
});
