import assert from "node:assert/strict";
import { testFilesIn } from "./files.ts";
import {
  CHOSEN_IN_BUCKET,
  CHOSEN_ON_BOTH,
  CHOSEN_ON_MONGODB,
  leftOutOf,
  ONLY_IN_FULL,
  type Pass,
  passesOver,
} from "./passes.ts";
import { isIdle, shardsOf } from "./shards.ts";

const EVERYWHERE = { mongodb: true, s3: true };
const EVERY_FILE = await testFilesIn(".");

const NEUTRAL = [
  "tests/api/a_test.ts",
  "tests/api/update_profile_test.ts",
  "tests/property/b_test.ts",
  "tests/acceptance/c_test.ts",
  "tests/attacks/d_test.ts",
];
const EMBEDDED_ONLY = [
  "lib/store/sqlite/keyset_test.ts",
  "lib/text/amounts_test.ts",
  "tests/contract/sqlite_test.ts",
  "tests/acceptance/sqlite_folder_test.ts",
  "tests/acceptance/dashboard_tour_test.ts",
  "tests/acceptance/generated/go_client_test.ts",
  "tests/acceptance/hostile_bodies_test.ts",
  "tests/services/mongodb_test.ts",
  "tests/run_test.ts",
];
const ABOUT_FILES = [
  "tests/api/request_upload_test.ts",
  "tests/attacks/resumable_uploads_test.ts",
  "tests/acceptance/files_test.ts",
];
const OF_ONE_STORE = [
  "tests/api/put_blob_upload_test.ts",
  "tests/api/serve_file_test.ts",
  "tests/attacks/uploads_test.ts",
  "tests/acceptance/disk_uploads_test.ts",
];

const filesBy = (passes: readonly Pass[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    passes.map(({ database, storage, files }) => [`${database} ${storage}`, files]),
  );

Deno.test("the full matrix runs engine-neutral suites on each engine and store", () => {
  const files = [...EMBEDDED_ONLY, ...NEUTRAL, ...ABOUT_FILES, ...OF_ONE_STORE];
  assert.deepEqual(filesBy(passesOver(files, { all: true, servers: EVERYWHERE })), {
    "sqlite disk": files,
    "mongodb disk": [...NEUTRAL, ...ABOUT_FILES, ...OF_ONE_STORE],
    "sqlite s3": ABOUT_FILES,
    "mongodb s3": ["tests/acceptance/files_test.ts"],
  });
});

Deno.test("without a server there is no pass on it", () => {
  const over = (mongodb: boolean, s3: boolean) =>
    Object.keys(filesBy(passesOver(ABOUT_FILES, { all: true, servers: { mongodb, s3 } })));
  assert.deepEqual(over(false, false), ["sqlite disk"]);
  assert.deepEqual(over(true, false), ["sqlite disk", "mongodb disk"]);
  assert.deepEqual(over(false, true), ["sqlite disk", "sqlite s3"]);
});

Deno.test("the short run takes every file once, without those of the full matrix", () => {
  const short = passesOver(EVERY_FILE, { all: false, servers: EVERYWHERE });
  const full = filesBy(passesOver(EVERY_FILE, { all: true, servers: EVERYWHERE }));
  for (const [where, files] of Object.entries(filesBy(short))) {
    const all = new Set(full[where]);
    assert.deepEqual(files.filter((path) => !all.has(path)), [], `${where} has no unknown files`);
    if (where === "sqlite disk") {
      const left = EVERY_FILE.filter((path) => !files.includes(path));
      assert.ok(left.length > 0 && left.every((path) => ONLY_IN_FULL.test(path)), left.join(" "));
    } else assert.ok(files.length < all.size, `${where} leaves something out`);
  }
  assert.equal(short.length, 4);
});

Deno.test("every selection matches a file that exists and can run there", () => {
  const passes = passesOver(EVERY_FILE, { all: true, servers: EVERYWHERE });
  const [, mongodb, bucket, both] = passes.map(({ files }) => files);
  for (
    const [patterns, files] of [
      [CHOSEN_ON_MONGODB, mongodb],
      [CHOSEN_IN_BUCKET, bucket],
      [CHOSEN_ON_BOTH, both],
    ] as const
  ) {
    for (const pattern of patterns) {
      assert.ok(files!.some((path) => pattern.test(path)), `${pattern} matches no file`);
      // Each alternative of a pattern is checked separately.
      const [before, alternatives, after] = pattern.source.split(/\(\?:|\)(?=[^)]*$)/);
      for (const one of after === undefined ? [] : alternatives!.split("|")) {
        const alone = new RegExp(before + one + after);
        assert.ok(files!.some((path) => alone.test(path)), `${alone} matches no file`);
      }
    }
  }
});

Deno.test("leftOutOf lists left-out files by pass and folder", () => {
  const pass = (title: string, ...files: string[]): Pass => ({
    title,
    database: "mongodb",
    storage: "disk",
    files,
  });
  const full = [
    pass("One", "tests/api/a_test.ts", "tests/api/b_test.ts", "tests/pages/c_test.ts"),
    pass("Two", "tests/api/a_test.ts"),
    pass("Three", "tests/api/a_test.ts"),
  ];
  const short = [pass("One", "tests/api/a_test.ts"), pass("Three", "tests/api/a_test.ts")];
  assert.deepEqual(leftOutOf(short, full), [
    "Left out of the short run: One: 2 of 3 files",
    "  tests/api: b",
    "  tests/pages: c",
    "Left out of the short run: Two: 1 of 1 files",
    "  tests/api: a",
  ]);
});

Deno.test("shards contain every file of every pass once, long ones first and tools last", () => {
  const passes = passesOver(EVERY_FILE, { all: true, servers: EVERYWHERE });
  const shards = shardsOf(passes);
  for (const pass of passes) {
    const files = shards.filter((shard) => shard.pass === pass).flatMap(({ files }) => files);
    assert.deepEqual(files.toSorted(), pass.files.toSorted());
  }
  const isTool = (path: string) => ONLY_IN_FULL.test(path);
  const firstTool = shards.findIndex(({ files }) => files.some(isTool));
  assert.ok(firstTool > 0 && shards.slice(firstTool).every(({ files }) => files.every(isTool)));
  const isLong = (path: string) =>
    !isTool(path) && /^tests\/(?:acceptance|contract|faults)\//.test(path) ||
    isIdle({ pass: passes[0]!, files: [path] });
  const lastLong = shards.findLastIndex(({ files }) => files.some(isLong));
  assert.ok(shards.slice(0, lastLong).every(({ files }) => files.every(isLong)));
});

Deno.test("only shards of tests that wait for a server are idle", () => {
  const [pass] = passesOver(["tests/faults/a_test.ts", "tests/api/b_test.ts"], {
    all: true,
    servers: { mongodb: false, s3: false },
  });
  assert.deepEqual(shardsOf([pass!]).map((shard) => [shard.files, isIdle(shard)]), [
    [["tests/faults/a_test.ts"], true],
    [["tests/api/b_test.ts"], false],
  ]);
});
