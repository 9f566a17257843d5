/** Rules that the owner of a bucket sets. */

import {
  DeleteBucketCorsCommand,
  DeleteBucketPolicyCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
} from "@aws-sdk/client-s3";
import type { TestBucket } from "./s3.ts";

export interface CorsRule {
  readonly AllowedOrigins: readonly string[];
  readonly AllowedMethods: readonly string[];
  readonly AllowedHeaders: readonly string[];
  readonly ExposeHeaders?: readonly string[];
}

export async function setCors(
  { client, name }: TestBucket,
  rules: readonly CorsRule[],
): Promise<void> {
  const CORSRules = rules.map((rule) => ({
    ...rule,
    AllowedOrigins: [...rule.AllowedOrigins],
    AllowedMethods: [...rule.AllowedMethods],
    AllowedHeaders: [...rule.AllowedHeaders],
    ExposeHeaders: [...rule.ExposeHeaders ?? []],
  }));
  await client.send(
    new PutBucketCorsCommand({ Bucket: name, CORSConfiguration: { CORSRules } }),
  );
}

export async function setPolicy({ client, name }: TestBucket, policy: unknown): Promise<void> {
  await client.send(
    new PutBucketPolicyCommand({ Bucket: name, Policy: JSON.stringify(policy) }),
  );
}

export async function removePolicy({ client, name }: TestBucket): Promise<void> {
  await client.send(new DeleteBucketPolicyCommand({ Bucket: name }));
}

/** Resets the rules to those of a new bucket, which only its owner can access. */
export async function removeRules(bucket: TestBucket): Promise<void> {
  await removePolicy(bucket);
  await bucket.client.send(new DeleteBucketCorsCommand({ Bucket: bucket.name }));
}
