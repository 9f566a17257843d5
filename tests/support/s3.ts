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

export interface S3Account {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A bucket of one test. Disposing it removes the bucket and its objects. */
export interface TestBucket extends AsyncDisposable {
  readonly name: string;
  readonly account: S3Account;
  /** A client with the rights of the bucket's owner. */
  readonly client: S3Client;
  /** Environment variables that make the bucket the default file store. */
  readonly settings: Readonly<Record<string, string>>;
}

const REGION = "us-east-1";

/** Returns whether the tests have an S3 server: `deno task test` starts one. */
export const hasS3 = (): boolean => Boolean(Deno.env.get("S3_TEST_URL"));

/** Returns `S3_TEST_URL`. Throws if it is not set: `deno task test` starts a server and sets it. */
function s3TestUrl(): string {
  const url = Deno.env.get("S3_TEST_URL");
  if (!url) throw new Error("S3_TEST_URL is not set: `deno task test` starts a server");
  return url;
}

/** Parses `http://<key id>:<secret>@<host>?region=…`; the region is optional. */
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

/** Throws if no server answers at the address or the server rejects the account. */
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

export type RulesBlock = "rights" | "policy" | "cors";

export async function documentedRules(block: RulesBlock, bucket: string): Promise<string> {
  const text = await Deno.readTextFile(new URL("../../docs/storage.md", import.meta.url));
  const rules = new RegExp(`<!-- bucket: ${block} -->\\s*\`\`\`json\\n([^\`]+)\`\`\``).exec(text)
    ?.[1];
  if (rules === undefined) throw new Error(`docs/storage.md has no block "${block}"`);
  return rules.replaceAll("my-files", bucket);
}

/** Creates an empty bucket with the policy and CORS rules from docs/storage.md. */
export async function createTestBucket(): Promise<TestBucket> {
  const account = accountOf(s3TestUrl());
  const { endpoint, region, accessKeyId, secretAccessKey } = account;
  const name = `test-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const client = s3Client(account);
  await client.send(new CreateBucketCommand({ Bucket: name }));
  const Policy = await documentedRules("policy", name);
  await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy }));
  const CORSConfiguration = JSON.parse(await documentedRules("cors", name));
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

/** Returns the objects of a bucket, sorted by key. */
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
    // The policy may deny the remaining calls to the owner.
    await client.send(new DeleteBucketPolicyCommand({ Bucket: name }));
    for (;;) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
      if (Contents.length === 0) break;
      const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
      await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects } }));
    }
    await client.send(new DeleteBucketCommand({ Bucket: name }));
  } catch (error) {
    // A test has already removed the bucket.
    if ((error as Error).name !== "NoSuchBucket") throw error;
  }
}

/** Returns the input of `storage set` for a bucket. */
export const settingsOf = ({ name, account }: TestBucket, changes: object = {}) => ({
  endpoint: account.endpoint,
  region: account.region,
  bucket: name,
  publicUrl: `${account.endpoint}/${name}`,
  accessKeyId: account.accessKeyId,
  secretAccessKey: account.secretAccessKey,
  ...changes,
});
