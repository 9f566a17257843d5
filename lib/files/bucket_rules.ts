/** What must be set on a bucket, in the form in which S3's own interface takes it. */

import { FOLDERS } from "./blobs.ts";

/**
 * S3 refuses a rule that names OPTIONS: it answers preflights by itself. Uppy's plugin for S3 waits for
 * ever for an ETag that it may not read.
 */
export const corsRules = (origins: readonly string[]) => [{
  AllowedOrigins: origins,
  AllowedMethods: ["PUT", "GET", "HEAD"],
  AllowedHeaders: ["content-type", "content-length"],
  ExposeHeaders: ["ETag"],
  MaxAgeSeconds: 3600,
}];

/**
 * Everybody reads public files, and nobody private ones, what is being uploaded and what was made of
 * files. To deny that to
 * everybody would shut Corbel out as well.
 */
export const bucketPolicy = (bucket: string) => ({
  Version: "2012-10-17",
  Statement: [{
    Effect: "Allow",
    Principal: "*",
    Action: "s3:GetObject",
    NotResource: [FOLDERS.staged, FOLDERS.private, FOLDERS.derived]
      .map((one) => `arn:aws:s3:::${bucket}/${one}*`),
  }],
});
