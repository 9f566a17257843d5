import assert from "node:assert/strict";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createCollections } from "@/lib/documents/save_collection.ts";
import { COLLECTION_OPERATIONS } from "@/openapi/project/operations.ts";
import { updateCollection } from "../support/given.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { callOf, type Household, openHousehold, ROWS } from "./every_page.ts";

const PAGE_BYTES_MAX = 2_000_000;

/** Number of collections in addition to `posts`, which makes 300. */
const OTHERS = 299;
/** Number of collections with as many fields as `posts`. */
const WIDE = 20;
const FIELDS = 200;
const DOCUMENTS = 100;

const nameOf = (i: number): string => `collection_with_a_long_name_${i}`;
const TYPES = ["String", "Number", "Boolean", "Date"] as const;
const VALUES = { String: "long text ".repeat(100), Number: 1e9, Boolean: true, Date: "2026-01-31" };

/** Creates fields. Half of them refer to collections, so every schema leads to every other. */
const fieldsOf = (i: number, count: number) =>
  Array.from({ length: count }, (_, j) => ({
    key: `field_with_a_long_name_${j}`,
    ...(j % 2 === 1
      ? { type: TYPES[(j >> 1) % 4]! }
      : { type: "Ref", ref: j % 10 === 0 ? "posts" : nameOf((i * 7 + j) % OTHERS) }),
  }));

/** Creates the project's collections, and a page of `posts` with every plain field. */
async function fill(app: TestApp, { project }: Household): Promise<void> {
  const { services } = app;
  const { projectId, secretKey } = project;
  const others = Array.from({ length: OTHERS }, (_, i) =>
    parseDefinition({
      name: nameOf(i),
      fields: fieldsOf(i, i < WIDE ? FIELDS : 10),
      rls: { mode: i % 2 === 0 ? "private" : "public-read" },
    }));
  await createCollections(services, projectId, others);
  const fields = fieldsOf(0, FIELDS);
  await updateCollection(services, projectId, { name: "posts", fields });
  const document = Object.fromEntries(
    fields.filter(({ type }) => type !== "Ref")
      .map(({ key, type }) => [key, VALUES[type as keyof typeof VALUES]]),
  );
  const answer = await app.send({
    path: "/api/data/posts/bulk",
    headers: { "x-api-key": secretKey },
    body: { documents: Array(DOCUMENTS).fill(document) },
  });
  assert.equal(answer.status, 201, answer.text);
}

/** Returns the addresses of a page. The API page has one for each operation and key. */
function addressesOf(path: string): string[] {
  if (path.endsWith("/posts")) return [path, `${path}?limit=${DOCUMENTS}`];
  if (!path.endsWith("/api")) return [path];
  return Object.values(COLLECTION_OPERATIONS).flatMap((operation) =>
    ["client", "server"].map((audience) => `${path}?operation=${operation}&for=${audience}`)
  );
}

Deno.test("no page of a project with 300 collections, some with 200 fields, exceeds 2 MB", async () => {
  await using app = await openTestApp({ env: { PLANS: "off" } });
  const household = await openHousehold(app);
  await fill(app, household);
  const looks = ROWS.filter(({ method, template }) =>
    method === "GET" && !template.endsWith("/try")
  );
  const sizes = new Map<string, number>();
  for (const row of looks) {
    for (const path of addressesOf(callOf(row, household).path)) {
      const { status, text, headers } = await household.owner.send({ method: "GET", path });
      assert.ok(status < 500, `${path}: ${status}`);
      // An export is a file that is streamed, and has as many rows as there are documents.
      if (headers.get("content-disposition") !== null) continue;
      sizes.set(path, new TextEncoder().encode(text).length);
    }
  }
  const large = [...sizes].filter(([, bytes]) => bytes > PAGE_BYTES_MAX);
  assert.deepEqual(large, []);
  const full = [...sizes].filter(([path]) => path.includes("/posts/api?operation=List"));
  assert.ok(full.every(([, bytes]) => bytes > 100_000), `the pages are incomplete: ${full.join()}`);
});
