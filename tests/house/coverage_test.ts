import assert from "node:assert/strict";
import { PROBLEMS } from "@/lib/problems.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { mountOperations } from "@/routes/operations.ts";
import { testFilesIn } from "../runner/files.ts";
import { passesOver } from "../runner/passes.ts";
import {
  committedFiles,
  filesBelow,
  importsOf,
  isTest,
  mustRead,
  read,
  snakeCase,
} from "./files.ts";

/** Files with tests, without their helpers. */
const TESTS = [
  ...(await filesBelow("tests")).filter((path) => isTest(path) && !path.startsWith("tests/house/")),
  ...(await filesBelow("tests/contract")).filter((path) => path.endsWith(".ts")),
  ...(await filesBelow("lib")).filter(isTest),
];

const texts = new Map<string, string>();
for (const path of TESTS) texts.set(path, await mustRead(path));

const API_FILES = [...texts.keys()].filter((path) => path.startsWith("tests/api/"));

/** The test that compares each mirrored operation with all declarations of its original. */
const OF_MIRRORS = "tests/api/mirrored_operations_test.ts";

/** Returns the tests of an operation: `create_document_test.ts`, `create_document_…_test.ts`. */
const filesOf = ({ operationId, mirrors }: (typeof CONTRACTS)[number]): string[] => {
  const pattern = new RegExp(`^tests/api/${snakeCase(operationId)}(?:_\\w+)?_test\\.ts$`);
  const own = API_FILES.filter((path) => pattern.test(path));
  return own.length === 0 && mirrors !== undefined ? [OF_MIRRORS] : own;
};

const names = (path: string, code: string): boolean =>
  new RegExp(`\\b${code}\\b`).test(texts.get(path)!);

Deno.test("every operation has a test named after it", () => {
  const missing = CONTRACTS.filter((contract) => filesOf(contract).length === 0);
  assert.deepEqual(missing.map(({ operationId }) => `${snakeCase(operationId)}_test.ts`), []);
});

Deno.test("every problem code is raised in a test", () => {
  const missing = Object.keys(PROBLEMS)
    .filter((code) => ![...texts.keys()].some((path) => names(path, code)));
  assert.deepEqual(missing, []);
});

Deno.test("every code that an operation declares occurs in its tests, or in those of all operations", () => {
  const own = new Map(CONTRACTS.map((contract) => [contract.operationId, filesOf(contract)]));
  const ofOne = new Set([...own.values()].flat());
  const shared = API_FILES.filter((path) => !ofOne.has(path));
  const listed = CONTRACTS.filter(({ operationId }) => !own.get(operationId)!.includes(OF_MIRRORS));
  const missing = listed.flatMap(({ operationId, codes }) =>
    codes
      .filter((code) => ![...own.get(operationId)!, ...shared].some((path) => names(path, code)))
      .map((code) => `${operationId}: ${code}`)
  );
  assert.deepEqual(missing, []);
});

Deno.test("every contract is mounted once", () => {
  const mounted: string[] = [];
  mountOperations(({ operationId }, handle) => {
    assert.equal(typeof handle, "function", operationId);
    mounted.push(operationId);
  });
  assert.deepEqual(mounted.toSorted(), CONTRACTS.map(({ operationId }) => operationId).toSorted());
});

Deno.test("every operation has a unique id and a unique method and path", () => {
  const ids = CONTRACTS.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  const places = CONTRACTS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(places).size, places.length);
});

Deno.test("no test is skipped manually", () => {
  for (const [path, text] of texts) {
    assert.ok(!/Deno\.test\.(?:only|ignore|skip)/.test(text), `${path} passes tests over`);
  }
});

Deno.test("every file with tests is run, or imported by one that is", async () => {
  const servers = { mongodb: true, s3: true };
  const passes = passesOver(await testFilesIn("."), { all: true, servers });
  const reached = new Set(passes.flatMap(({ files }) => files));
  // Iterating over a set includes elements that are added during the iteration.
  for (const path of reached) {
    for (const { target } of importsOf(path, await read(path) ?? "")) {
      if (target.startsWith("tests/")) reached.add(target);
    }
  }
  const left: string[] = [];
  for (const path of (await committedFiles()).filter((path) => /\.tsx?$/.test(path))) {
    const holdsTests = isTest(path) || /\bDeno\.test\(/.test(await mustRead(path));
    if (holdsTests && !reached.has(path)) left.push(path);
  }
  assert.deepEqual(left, []);
});
