import assert from "node:assert/strict";
import { removePolicy, removeRules, setCors, setPolicy } from "@/tests/support/bucket_rules.ts";
import { createTestBucket, hasS3, keysIn, type TestBucket } from "@/tests/support/s3.ts";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import { Problem } from "../problems.ts";
import { createProject } from "../projects/create_project.ts";
import { bucketPolicy, corsRules } from "./bucket_rules.ts";
import { checkStorage, type StorageCheck } from "./check_storage.ts";
import { setStorage } from "@/tests/support/given.ts";

const SITE = "https://app.example.com";
const DASHBOARD = "http://localhost:8000";
const ORIGINS = [SITE, DASHBOARD];
const EVERY_STEP = [
  "reach",
  "write",
  "staging is private",
  "publish",
  "read",
  "public reading",
  ...ORIGINS.flatMap((origin) => [
    `preflight of PUT from ${origin}`,
    `GET from ${origin}`,
    `HEAD from ${origin}`,
  ]),
  "private files are private",
  "uploads in pieces",
  "remove",
];

interface Fixture extends AsyncDisposable {
  readonly opened: TestServices;
  readonly bucket: TestBucket;
  readonly projectId: string;
  /** Sets the storage, by default this bucket with its own keys, and checks it. */
  check(changes?: object): Promise<StorageCheck>;
}

async function openFixture(siteUrl: string | null = SITE): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const bucket = opening.use(await createTestBucket());
  await removeRules(bucket);
  const opened = opening.use(
    await openTestServices({
      env: { ALLOW_PRIVATE_ENDPOINTS: "true", PUBLIC_URL: DASHBOARD },
    }),
  );
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "Files", siteUrl });
  const { endpoint, region, accessKeyId, secretAccessKey } = bucket.account;
  const given = {
    endpoint,
    region,
    bucket: bucket.name,
    publicUrl: `${endpoint}/${bucket.name}`,
    accessKeyId,
    secretAccessKey,
  };
  const moved = opening.move();
  return {
    opened,
    bucket,
    projectId,
    async check(changes = {}) {
      await setStorage(services, projectId, { ...given, ...changes });
      const check = await checkStorage(services, projectId);
      assert.equal(check.ok, check.steps.every(({ result }) => result !== "failed"));
      for (const { step, message } of check.steps) {
        assert.ok(message.length > 0, step);
        assert.ok(!message.includes(secretAccessKey), `${step} repeats the secret`);
      }
      return check;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const resultsOf = ({ steps }: StorageCheck) =>
  Object.fromEntries(steps.map(({ step, result }) => [step, result]));

const messageOf = ({ steps }: StorageCheck, name: string) =>
  steps.find(({ step }) => step === name)!.message;

/** Returns the steps that are not ok. */
const troubleOf = ({ steps }: StorageCheck) =>
  Object.fromEntries(
    steps.filter(({ result }) => result !== "ok").map(({ step, result }) => [step, result]),
  );

const deny = ({ name }: TestBucket, action: string) => ({
  Version: "2012-10-17",
  Statement: [
    bucketPolicy(name).Statement[0],
    {
      Effect: "Deny",
      Principal: "*",
      Action: action,
      Resource: [`arn:aws:s3:::${name}`, `arn:aws:s3:::${name}/*`],
    },
  ],
});

function s3Test(name: string, fn: () => Promise<void>, options = {}): void {
  Deno.test({ name, ignore: !hasS3(), fn, ...options });
}

s3Test("checkStorage succeeds with the printed rules and leaves no objects", async () => {
  await using fixture = await openFixture();
  const first = await fixture.check();
  assert.equal(first.ok, false);
  assert.deepEqual(first.corsRules, [{
    AllowedOrigins: ORIGINS,
    AllowedMethods: ["PUT", "GET", "HEAD"],
    AllowedHeaders: ["content-type", "content-length"],
    ExposeHeaders: ["ETag"],
    MaxAgeSeconds: 3600,
  }]);
  await setCors(fixture.bucket, first.corsRules);
  await setPolicy(fixture.bucket, first.bucketPolicy);
  const check = await fixture.check();
  assert.deepEqual(check.steps.map(({ step }) => step), EVERY_STEP);
  assert.deepEqual(troubleOf(check), {});
  assert.equal(check.ok, true);
  assert.deepEqual(await keysIn(fixture.bucket), []);
});

s3Test(
  "checkStorage of a new bucket fails the browser and public reading steps",
  async () => {
    await using fixture = await openFixture();
    const { projectId, opened: { services } } = fixture;
    const check = await fixture.check();
    assert.deepEqual(troubleOf(check), {
      "public reading": "failed",
      ...Object.fromEntries(ORIGINS.flatMap((origin) => [
        [`preflight of PUT from ${origin}`, "failed"],
        [`GET from ${origin}`, "failed"],
        [`HEAD from ${origin}`, "failed"],
      ])),
    });
    assert.match(messageOf(check, "public reading"), /403 AccessDenied.*bucketPolicy/);
    assert.match(messageOf(check, `preflight of PUT from ${SITE}`), /the origin.*corsRules/);
    assert.deepEqual(await keysIn(fixture.bucket), []);
    assert.equal(
      (await services.blobStores.currentTarget(projectId)).name.endsWith(fixture.bucket.name),
      true,
    );
  },
);

s3Test("checkStorage warns if publicUrl is missing", async () => {
  await using fixture = await openFixture();
  await setCors(fixture.bucket, corsRules(ORIGINS));
  const check = await fixture.check({ publicUrl: null });
  assert.deepEqual(troubleOf(check), { "public reading": "warning" });
  assert.equal(check.ok, true);
  assert.match(messageOf(check, "public reading"), /No publicUrl/);
});

s3Test(
  "checkStorage of a completely public bucket fails and shows the policy to set",
  async () => {
    await using fixture = await openFixture();
    await setCors(fixture.bucket, corsRules(ORIGINS));
    const Resource = `arn:aws:s3:::${fixture.bucket.name}/*`;
    const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource };
    await setPolicy(fixture.bucket, { Version: "2012-10-17", Statement: [statement] });
    for (const publicUrl of [`${fixture.bucket.account.endpoint}/${fixture.bucket.name}`, null]) {
      const check = await fixture.check({ publicUrl });
      assert.equal(resultsOf(check)["staging is private"], "warning");
      assert.match(messageOf(check, "staging is private"), /NotResource/);
      assert.equal(resultsOf(check)["private files are private"], "failed");
      assert.match(messageOf(check, "private files are private"), /NotResource.*bucketPolicy/);
      assert.equal(check.ok, false);
    }
  },
);

s3Test("checkStorage fails if CORS rules lack an origin, a header or a method", async () => {
  await using fixture = await openFixture();
  await setPolicy(fixture.bucket, bucketPolicy(fixture.bucket.name));
  const [rule] = corsRules(ORIGINS);
  const preflights = ORIGINS.map((origin) => `preflight of PUT from ${origin}`);

  await setCors(fixture.bucket, corsRules([SITE]));
  const other = await fixture.check();
  assert.deepEqual(troubleOf(other), {
    [preflights[1]!]: "failed",
    [`GET from ${DASHBOARD}`]: "failed",
    [`HEAD from ${DASHBOARD}`]: "failed",
  });

  await setCors(fixture.bucket, [{ ...rule!, AllowedHeaders: ["content-length"] }]);
  const headers = await fixture.check();
  assert.deepEqual(troubleOf(headers), Object.fromEntries(preflights.map((p) => [p, "failed"])));

  await setCors(fixture.bucket, [{ ...rule!, AllowedMethods: ["GET", "HEAD"] }]);
  const methods = await fixture.check();
  assert.deepEqual(troubleOf(methods), Object.fromEntries(preflights.map((p) => [p, "failed"])));

  await setCors(fixture.bucket, [{ ...rule!, AllowedMethods: ["PUT"] }]);
  const reading = Object.keys(troubleOf(await fixture.check()));
  assert.deepEqual(reading, ORIGINS.flatMap((o) => [`GET from ${o}`, `HEAD from ${o}`]));
});

s3Test("checkStorage reports rejected keys and a missing bucket", async () => {
  await using fixture = await openFixture();
  const cases = [
    [{ secretAccessKey: "another-secret" }, /secret access key|refuses the access key/],
    [{ accessKeyId: "NOBODY", secretAccessKey: "another-secret" }, /access key/],
    [{ bucket: `${fixture.bucket.name}-missing` }, /no such bucket/],
  ] as const;
  for (const [changes, message] of cases) {
    const check = await fixture.check(changes);
    assert.partialDeepStrictEqual(resultsOf(check), {
      reach: "failed",
      write: "failed",
      "staging is private": "skipped",
      publish: "skipped",
      read: "skipped",
      "public reading": "skipped",
      [`GET from ${SITE}`]: "skipped",
    });
    assert.match(messageOf(check, "reach"), message);
  }
});

s3Test("checkStorage fails the step whose permission the keys lack", async () => {
  await using fixture = await openFixture();
  const { bucket } = fixture;
  await setCors(bucket, corsRules(ORIGINS));
  const failing = {
    "s3:ListBucket": ["reach"],
    "s3:PutObject": ["write"],
    "s3:GetObject": ["publish", "read"],
    "s3:DeleteObject": ["remove"],
    "s3:ListBucketMultipartUploads": ["uploads in pieces"],
    "s3:ListMultipartUploadParts": ["uploads in pieces"],
    "s3:AbortMultipartUpload": ["uploads in pieces"],
  };
  try {
    for (const [action, steps] of Object.entries(failing)) {
      await setPolicy(bucket, deny(bucket, action));
      const results = resultsOf(await fixture.check());
      const wrong = steps.filter((step) => results[step] !== "ok");
      assert.ok(wrong.length > 0, `${action}: ${JSON.stringify(results)}`);
    }
  } finally {
    await removePolicy(bucket);
  }
});

s3Test(
  "checkStorage fails for a publicUrl that serves other bytes or redirects",
  async () => {
    await using fixture = await openFixture();
    await setCors(fixture.bucket, corsRules(ORIGINS));
    await setPolicy(fixture.bucket, bucketPolicy(fixture.bucket.name));
    let followed = 0;
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => {
        const { pathname, origin } = new URL(request.url);
        if (pathname.startsWith("/target")) followed++;
        if (!pathname.startsWith("/redirect")) return new Response("something else");
        return new Response(null, { status: 302, headers: { location: `${origin}/target` } });
      },
    );
    const site = `http://127.0.0.1:${server.addr.port}`;
    const other = await fixture.check({ publicUrl: `${site}/other` });
    assert.equal(resultsOf(other)["public reading"], "failed");
    assert.match(messageOf(other, "public reading"), /something else/);
    const redirected = await fixture.check({ publicUrl: `${site}/redirect` });
    assert.equal(resultsOf(redirected)["public reading"], "failed");
    assert.match(messageOf(redirected, "public reading"), /302/);
    assert.equal(followed, 0);
  },
);

s3Test("checkStorage warns and tries only the dashboard's origin without a Site URL", async () => {
  await using fixture = await openFixture(null);
  await setCors(fixture.bucket, corsRules([DASHBOARD]));
  await setPolicy(fixture.bucket, bucketPolicy(fixture.bucket.name));
  const check = await fixture.check();
  assert.deepEqual(troubleOf(check), { "Site URL": "warning" });
  assert.equal(check.ok, true);
});

s3Test("checkStorage connects to no private endpoint if they are not allowed", async () => {
  await using fixture = await openFixture();
  await fixture.check();
  await using stricter = await openTestServices({ store: fixture.opened.store });
  const check = await checkStorage(stricter.services, fixture.projectId);
  const results = resultsOf(check);
  for (const step of ["reach", "write", `preflight of PUT from ${SITE}`, "remove"]) {
    assert.equal(results[step], "failed", step);
    assert.match(messageOf(check, step), /not a public address/, step);
  }
  assert.ok(!Object.values(results).includes("ok"));
});

Deno.test(
  "checkStorage fails without an exception if the store responds with nonsense or not at all",
  async () => {
    await using opened = await openTestServices({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
    const { services } = opened;
    const { projectId } = await createProject(services, { name: "Files", siteUrl: SITE });
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("<html>It works</html>"),
    );
    const given = {
      endpoint: `http://127.0.0.1:${server.addr.port}`,
      bucket: "nonsense",
      accessKeyId: "key",
      secretAccessKey: "secret",
    };
    await setStorage(services, projectId, given);
    const check = await checkStorage(services, projectId);
    assert.equal(check.ok, false);
    await server.shutdown();
    const silent = await checkStorage(services, projectId);
    assert.equal(silent.ok, false);
    assert.equal(resultsOf(silent).reach, "failed");
  },
);

Deno.test("checkStorage refuses a project without its own bucket", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "Files", siteUrl: null });
  await assert.rejects(
    checkStorage(services, projectId),
    (error) => error instanceof Problem && error.code === "INVALID_INPUT",
  );
});
