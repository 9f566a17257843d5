import assert from "node:assert/strict";
import { removePolicy, removeRules, setCors, setPolicy } from "../support/bucket_rules.ts";
import { createTestBucket, hasS3, keysIn, settingsOf, type TestBucket } from "../support/s3.ts";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { createProject } from "./project.ts";
import { admin, runAdmin, type Settings } from "./server.ts";

const SITE = "https://app.example.com";

const settingsFor = (store: TestStore): Settings => ({
  ...store.settings,
  ALLOW_PRIVATE_ENDPOINTS: "true",
});

const fileFor = (bucket: TestBucket, changes: object = {}) =>
  JSON.stringify(settingsOf(bucket, changes));

function s3Test(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore: !hasS3(), fn });
}

s3Test(
  "commands connect a bucket, check it until every step succeeds, and disconnect it",
  async (t) => {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    await removeRules(bucket);
    const settings = settingsFor(store);
    const { projectId } = await createProject(settings, SITE);
    const { accessKeyId, secretAccessKey, endpoint, region } = bucket.account;
    const about = (action: string) => ["storage", action, "--project", projectId];
    const set = (file: string) => runAdmin([...about("set"), "--file", "-"], settings, file);
    const silentOfKeys = (text: string) => {
      for (const key of [accessKeyId, secretAccessKey]) assert.ok(!text.includes(key), text);
    };
    let check: { steps: unknown[]; corsRules: never[]; bucketPolicy: unknown };

    await t.step("without a bucket there is nothing to check", async () => {
      const { code, stdout, stderr } = await runAdmin(about("check"), settings);
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /no storage of its own/);
    });

    await t.step("set prints the bucket's address and no key", async () => {
      const { code, stdout, stderr } = await set(fileFor(bucket));
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout), {
        provider: "external",
        endpoint,
        region,
        bucket: bucket.name,
        pathStyle: true,
        publicUrl: `${endpoint}/${bucket.name}`,
        hasKeys: true,
      });
      silentOfKeys(stdout + stderr);
    });

    await t.step(
      "an invalid bucket is refused with all problems and without its keys",
      async () => {
        const broken = await set(fileFor(bucket, { endpoint: "nowhere", bucket: "B", more: 1 }));
        assert.equal(broken.code, 1);
        assert.equal(broken.stdout, "");
        for (const word of ["endpoint", "bucket", "more"]) {
          assert.match(
            broken.stderr,
            new RegExp(word),
          );
        }
        silentOfKeys(broken.stderr);
        const unread = await set(fileFor(bucket).replace('"accessKeyId":', "") + secretAccessKey);
        assert.equal(unread.code, 1);
        assert.match(unread.stderr, /not valid JSON/);
        silentOfKeys(unread.stderr);
      },
    );

    await t.step("check of an unconfigured bucket prints each step and fails", async () => {
      const { code, stdout, stderr } = await runAdmin(about("check"), settings);
      assert.equal(code, 1, stdout + stderr);
      assert.match(stdout, /^\{[^\n]*\}\n$/);
      check = JSON.parse(stdout);
      assert.ok(check.steps.length > 8);
      assert.ok(JSON.stringify(check.corsRules).includes(`"${SITE}"`));
      silentOfKeys(stdout + stderr);
    });

    await t.step(
      "with the printed rules, check succeeds and leaves no objects",
      async () => {
        await setCors(bucket, check.corsRules);
        await setPolicy(bucket, check.bucketPolicy);
        const { ok, steps } = await admin(about("check"), settings);
        assert.equal(ok, true, JSON.stringify(steps));
        assert.deepEqual(await keysIn(bucket), []);
        await removePolicy(bucket);
      },
    );

    await t.step(
      "clear returns the project to the server's storage, and can be repeated",
      async () => {
        assert.deepEqual(await admin(about("clear"), settings), { provider: "internal" });
        assert.deepEqual(await admin(about("clear"), settings), { provider: "internal" });
        assert.equal((await runAdmin(about("check"), settings)).code, 1);
      },
    );
  },
);

Deno.test("without ALLOW_PRIVATE_ENDPOINTS a bucket in a private network is refused", async () => {
  await using store = await createTestStore();
  const { projectId } = await createProject(store.settings);
  const given = {
    bucket: "inside",
    accessKeyId: "key-of-the-test",
    secretAccessKey: "secret-of-the-test",
  };
  const endpoint = "https://169.254.169.254";
  const { code, stderr } = await runAdmin(
    ["storage", "set", "--project", projectId, "--file", "-"],
    store.settings,
    JSON.stringify({ ...given, endpoint, publicUrl: "http://public.example.com" }),
  );
  assert.equal(code, 1);
  assert.match(stderr, /endpoint must not be an address in a private network/);
  assert.match(stderr, /publicUrl must be .* https address/);
  assert.doesNotMatch(stderr, /of-the-test/);
});
