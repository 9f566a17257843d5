import assert from "node:assert/strict";
import { createEgress } from "../http/egress.ts";
import { Problem } from "../problems.ts";
import { parseStorageInput, type StorageRules } from "./storage_input.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const KEY_ID = "AKIAIOSFODNN7EXAMPLE";

const GIVEN = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: KEY_ID,
  secretAccessKey: SECRET,
};

const PUBLIC: StorageRules = { egress: createEgress(), allowPrivate: false };
const PRIVATE: StorageRules = {
  egress: createEgress({ admits: () => true }),
  allowPrivate: true,
};

const parse = (changes: object, rules = PUBLIC) => {
  const { keys, ...input } = parseStorageInput(rules, { ...GIVEN, ...changes });
  return {
    ...input,
    keys: keys && [keys.accessKeyId.reveal(), keys.secretAccessKey.reveal()],
  };
};

/** Returns the lines of an error, after checking that none contains a key. */
function problemsOf(input: unknown, rules = PUBLIC): string[] {
  try {
    parseStorageInput(rules, input);
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === "INVALID_INPUT");
    for (const secret of [SECRET, KEY_ID]) {
      assert.ok(!Deno.inspect(error, { depth: 9 }).includes(secret), "a key was repeated");
    }
    const [first, ...lines] = error.message.split("\n- ");
    assert.equal(first, "The storage settings cannot be used:");
    return lines;
  }
  return [];
}

Deno.test("parseStorageInput requires only an endpoint, a bucket and keys", () => {
  assert.deepEqual(parse({}), {
    endpoint: "https://s3.example.com",
    region: "us-east-1",
    bucket: "photos",
    pathStyle: true,
    publicUrl: null,
    keys: [KEY_ID, SECRET],
  });
});

Deno.test("parseStorageInput without an endpoint requires a region and puts the bucket in the host", () => {
  assert.deepEqual(parse({ endpoint: null, region: "eu-west-1" }), {
    endpoint: null,
    region: "eu-west-1",
    bucket: "photos",
    pathStyle: false,
    publicUrl: null,
    keys: [KEY_ID, SECRET],
  });
  assert.deepEqual(problemsOf({ ...GIVEN, endpoint: null }), [
    "region is missing: AWS needs it",
  ]);
});

Deno.test("parseStorageInput keeps members and normalizes URLs", () => {
  const given = {
    endpoint: "https://S3.Example.com:443/storage/",
    region: "auto",
    bucket: "my.photos-1",
    pathStyle: false,
    publicUrl: "https://cdn.example.com/photos/",
  };
  assert.deepEqual(parse(given), {
    ...given,
    endpoint: "https://s3.example.com/storage",
    publicUrl: "https://cdn.example.com/photos",
    keys: [KEY_ID, SECRET],
  });
});

Deno.test("parseStorageInput accepts no keys and refuses one without the other", () => {
  const { accessKeyId, secretAccessKey, ...rest } = GIVEN;
  assert.equal(parseStorageInput(PUBLIC, rest).keys, null);
  const both = "both come together, or neither to keep the stored ones";
  assert.deepEqual(problemsOf({ ...rest, accessKeyId }), [`secretAccessKey is missing: ${both}`]);
  assert.deepEqual(problemsOf({ ...rest, secretAccessKey }), [`accessKeyId is missing: ${both}`]);
});

Deno.test("parseStorageInput reports all problems at once", () => {
  const problems = problemsOf({
    endpoint: "http://s3.example.com",
    region: "somewhere else",
    bucket: "My Photos",
    pathStyle: "yes",
    publicUrl: "cdn.example.com",
    accessKeyId: `${KEY_ID} `,
    secretAccessKey: "",
    acl: "public-read",
  });
  const named = problems.map((line) => line.split(" ")[0]);
  assert.deepEqual(named.toSorted(), [
    "accessKeyId",
    "bucket",
    "endpoint",
    "pathStyle",
    "publicUrl",
    "region",
    "secretAccessKey",
    "they",
  ]);
  assert.match(problems.join("\n"), /they may have no members but .*: leave out acl$/m);
});

Deno.test("parseStorageInput reports that the settings must be a JSON object", () => {
  for (const input of [null, 1, "x", [], [GIVEN], SECRET, undefined]) {
    const problems = problemsOf(input);
    assert.ok(problems.some((line) => line.startsWith("they must be a JSON object with")));
  }
  assert.ok(problemsOf({}).some((line) => line.startsWith("bucket must be")));
});

Deno.test("parseStorageInput repeats no key, in whichever member it is", () => {
  for (const name of ["endpoint", "region", "bucket", "pathStyle", "publicUrl", "accessKeyId"]) {
    problemsOf({ ...GIVEN, [name]: `${SECRET} ${KEY_ID}` });
  }
  assert.notDeepEqual(problemsOf({ ...GIVEN, [SECRET]: "x" }), []);
  assert.notDeepEqual(problemsOf({ ...GIVEN, [KEY_ID]: SECRET }), []);
  const inUrl = `https://${KEY_ID}:${encodeURIComponent(SECRET)}@s3.example.com`;
  assert.notDeepEqual(problemsOf({ ...GIVEN, endpoint: inUrl }), []);
});

Deno.test("parseStorageInput refuses invalid bucket names", () => {
  const names = ["ab", "a".repeat(64), "-ab", "ab-", "a..b", "A-b", "a_b", "a/b", "127.0.0.1", ""];
  for (const bucket of names) {
    assert.equal(problemsOf({ ...GIVEN, bucket }).length, 1, bucket);
  }
  for (const bucket of ["abc", "a".repeat(63), "a.b.c", "1-2-3"]) {
    assert.equal(parse({ bucket }).bucket, bucket);
  }
});

Deno.test("parseStorageInput accepts only plain https URLs of public hosts", () => {
  const wrong = [
    "http://s3.example.com",
    "ftp://s3.example.com",
    "https://user@s3.example.com",
    "https://s3.example.com?x=1",
    "https://s3.example.com#x",
    "https://s3.example.com\\@evil.example",
    "https:// s3.example.com",
    "//s3.example.com",
    "https://127.0.0.1",
    "https://127.1",
    "https://2130706433",
    "https://[::ffff:127.0.0.1]",
    "https://169.254.169.254",
    "https://10.0.0.1:9000",
    "https://[fd00::1]",
    `https://s3.example.com/${"a".repeat(2048)}`,
    7,
  ];
  for (const address of wrong) {
    assert.equal(problemsOf({ ...GIVEN, endpoint: address }).length, 1, `endpoint ${address}`);
    assert.equal(problemsOf({ ...GIVEN, publicUrl: address }).length, 1, `publicUrl ${address}`);
  }
});

Deno.test("parseStorageInput accepts http and private hosts if they are allowed", () => {
  const given = { endpoint: "http://127.0.0.1:7480", publicUrl: "http://minio:9000/photos" };
  assert.partialDeepStrictEqual(parse(given, PRIVATE), given);
  assert.equal(problemsOf({ ...GIVEN, endpoint: "ftp://127.0.0.1" }, PRIVATE).length, 1);
});
