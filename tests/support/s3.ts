/** Buckets on the S3 server that the tests were given. */

import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  S3Client,
} from "@aws-sdk/client-s3";

/** An S3 server and an account that may make buckets there. */
export interface S3Account {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A bucket of a test's own. Disposing removes it with all that is in it. */
export interface TestBucket extends AsyncDisposable {
  readonly name: string;
  readonly account: S3Account;
  /** For what only its owner may do. */
  readonly client: S3Client;
  /** Environment variables that make it the store of all files. */
  readonly settings: Readonly<Record<string, string>>;
}

const REGION = "us-east-1";

/** Whether the tests were given a server: `deno task test` starts one. */
export const hasS3 = (): boolean => Boolean(Deno.env.get("S3_TEST_URL"));

/** `S3_TEST_URL`. Throws without one: `deno task test` starts a server and sets it. */
function s3TestUrl(): string {
  const url = Deno.env.get("S3_TEST_URL");
  if (!url) throw new Error("S3_TEST_URL is not set: `deno task test` starts a server");
  return url;
}

/** Takes `http://<key id>:<secret>@<host>?region=…` apart; the region may be left out. */
export function accountOf(address: string): S3Account {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username === "" || !url.password) {
    throw new Error("S3_TEST_URL must be http://<key id>:<secret>@<host>");
  }
  return {
    endpoint: url.origin,
    region: url.searchParams.get("region") || REGION,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}

/** A client with the account's rights. */
function s3Client({ endpoint, region, ...credentials }: S3Account): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 1900,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
    },
  });
}

/** Throws when nobody answers at the address, or turns us away. */
export async function assertS3Answers(address: string): Promise<void> {
  const account = accountOf(address);
  const client = s3Client(account);
  try {
    await client.send(new ListBucketsCommand());
  } catch (error) {
    const { code, name, message } = error as Error & { code?: string };
    const why = [...new Set([code ?? name, message])].filter((part) => part !== "").join(": ");
    const where = `S3 server does not serve at S3_TEST_URL, ${account.endpoint}`;
    throw new Error(`The ${where}: ${why}`, { cause: error });
  } finally {
    client.destroy();
  }
}

/** What docs/storage.md says of buckets, by the word in front of each block. */
export type Documented = "rights" | "policy" | "cors";

/** Its JSON, for a bucket of this name. */
export async function documented(what: Documented, bucket: string): Promise<string> {
  const text = await Deno.readTextFile(new URL("../../docs/storage.md", import.meta.url));
  const block = new RegExp(`<!-- bucket: ${what} -->\\s*\`\`\`json\\n([^\`]+)\`\`\``).exec(text)
    ?.[1];
  if (block === undefined) throw new Error(`docs/storage.md has no block "${what}"`);
  return block.replaceAll("my-files", bucket);
}

/** An empty bucket, with the policy and the rules that docs/storage.md asks for. */
export async function createTestBucket(): Promise<TestBucket> {
  const account = accountOf(s3TestUrl());
  const { endpoint, region, accessKeyId, secretAccessKey } = account;
  const name = `test-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const client = s3Client(account);
  await client.send(new CreateBucketCommand({ Bucket: name }));
  const Policy = await documented("policy", name);
  await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy }));
  const CORSConfiguration = JSON.parse(await documented("cors", name));
  await client.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration }));
  const parameters = new URLSearchParams({ endpoint, region, publicUrl: `${endpoint}/${name}` });
  return {
    name,
    account,
    client,
    settings: {
      STORAGE_URL: `s3://${name}?${parameters}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async [Symbol.asyncDispose]() {
      await removeBucket(client, name);
      client.destroy();
    },
  };
}

/** What is in a bucket, in the order of its keys. */
export async function keysIn({ client, name }: TestBucket): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const after = keys.at(-1);
    const { Contents = [], IsTruncated } = await client.send(
      new ListObjectsV2Command({ Bucket: name, ...(after !== undefined && { StartAfter: after }) }),
    );
    keys.push(...Contents.map(({ Key }) => Key!));
    if (!IsTruncated) return keys;
  }
}

async function removeBucket(client: S3Client, name: string): Promise<void> {
  try {
    // It may keep its owner from the rest.
    await client.send(new DeleteBucketPolicyCommand({ Bucket: name }));
    for (;;) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
      if (Contents.length === 0) break;
      const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
      await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects } }));
    }
    await client.send(new DeleteBucketCommand({ Bucket: name }));
  } catch (error) {
    // A test removed it.
    if ((error as Error).name !== "NoSuchBucket") throw error;
  }
}

/** What `storage set` takes for a bucket. */
export const settingsOf = ({ name, account }: TestBucket, changes: object = {}) => ({
  endpoint: account.endpoint,
  region: account.region,
  bucket: name,
  publicUrl: `${account.endpoint}/${name}`,
  accessKeyId: account.accessKeyId,
  secretAccessKey: account.secretAccessKey,
  ...changes,
});
