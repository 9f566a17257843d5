import fc from "fast-check";
import assert from "node:assert/strict";
import { collectionCase, definition } from "./collections.ts";
import type { Parameter } from "./model.ts";
import {
  askFor,
  createCase,
  type CreatedCollection,
  explain,
  openCaseProjects,
  queryText,
} from "./created_collection.ts";
import { caller, type CallerChoice, sort } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 8;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

type Alter = (cursor: string) => string;

const place = fc.nat(200);
const letter = fc.constantFrom(...ALPHABET, "=", "+", "/", " ", "%", "\0", "é");

const alteration: fc.Arbitrary<Alter> = fc.oneof<fc.Arbitrary<Alter>[]>(
  fc.tuple(place, letter).map(([at, one]) => (text) => replaceAt(text, at % text.length, one)),
  fc.tuple(place, letter).map(([at, one]) => (text) =>
    text.slice(0, at % text.length) + one + text.slice(at % text.length)
  ),
  place.map((at) => (text) => replaceAt(text, at % text.length, "")),
  place.map((at) => (text) => text.slice(0, at % text.length)),
  place.map((at) => (text) => text.slice(-(at % text.length))),
  fc.constantFrom<Alter>(
    ...[(text: string) => `${text}.`, (text: string) => `.${text}`, (text: string) => text + text],
    (text) => text.split(".").reverse().join("."),
    (text) => text.toLowerCase(),
    (text) => text.split(".")[0]!,
    (text) => `${text}=`,
  ),
);

const replaceAt = (text: string, at: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + 1);

/** Changes of the list: an additional condition or another order. */
const OTHER_LISTS: readonly Alter[] = [
  (query) => `${query}&nothing_ne=1`,
  (query) => `${query}&where=%7B%22_id%22%3A%7B%22exists%22%3Atrue%7D%7D`,
  (query) => query.replace(/sort=[^&]*/, "sort=-_id%2CcreatedAt%2CupdatedAt%2CdeletedAt"),
];

const open = definition.map((one) => ({ ...one, strict: false }));

const cases = collectionCase(DOCUMENTS_MAX, (definition) =>
  fc.record({
    caller,
    sorted: sort(definition),
    limit: fc.integer({ min: 1, max: 3 }),
    alterations: fc.array(alteration, { minLength: 1, maxLength: 4 }),
    otherCaller: caller,
  }), open);

Deno.test("a cursor is only valid unaltered, for its list and its caller", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Cursors", cases, async ({ caller, sorted, limit, alterations, ...one }) => {
    const caseProject = await caseProjects.next();
    const created = await createCase(caseProject, one);
    const query = queryText([["sort", sorted], ["limit", String(limit)]]);
    const { body } = await askFor(created, caller, query);
    const cursor: string | null = body.data.nextCursor ?? null;
    if (cursor === null) return;
    for (const alter of alterations) {
      const altered = alter(cursor);
      if (altered !== cursor) await assertRefused(created, caller, query, altered);
    }
    for (const list of OTHER_LISTS) await assertRefused(created, caller, list(query), cursor);
    const other = await createCase(caseProject, { definition: one.definition, plans: [] });
    await assertRefused(other, caller, query, cursor);
    if (one.otherCaller !== caller) await assertRefused(created, one.otherCaller, query, cursor);
    const genuine = await askFor(created, caller, `${query}&${queryText([["cursor", cursor]])}`);
    assert.equal(genuine.status, 200, "the cursor itself is refused");
  });
});

async function assertRefused(
  created: CreatedCollection,
  caller: CallerChoice,
  query: string,
  cursor: string,
): Promise<void> {
  const parameters: Parameter[] = [["cursor", cursor]];
  const answer = await askFor(created, caller, `${query}&${queryText(parameters)}`);
  explain(
    created,
    caller,
    { parameters: [...new URLSearchParams(query), ...parameters], answer },
    () => {
      if (answer.status === 401) return;
      assert.equal(answer.body.code, "INVALID_CURSOR");
    },
  );
}
