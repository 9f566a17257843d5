import { PREFIXES } from "./blobs.ts";

/** CORS rules of a bucket, without OPTIONS, which S3 refuses. Uppy's S3 plugin needs `ETag`. */
export const corsRules = (origins: readonly string[]) => [{
  AllowedOrigins: origins,
  AllowedMethods: ["PUT", "GET", "HEAD"],
  AllowedHeaders: ["content-type", "content-length"],
  ExposeHeaders: ["ETag"],
  MaxAgeSeconds: 3600,
}];

/** Returns the policy with which everybody can read public files only. */
export const bucketPolicy = (bucket: string) => ({
  Version: "2012-10-17",
  Statement: [{
    Effect: "Allow",
    Principal: "*",
    Action: "s3:GetObject",
    NotResource: [PREFIXES.staged, PREFIXES.private, PREFIXES.derived]
      .map((one) => `arn:aws:s3:::${bucket}/${one}*`),
  }],
});
