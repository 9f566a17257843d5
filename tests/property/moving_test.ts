import fc from "fast-check";
import assert from "node:assert/strict";
import { collectionCase, type Plan, plansOf, withoutUnique } from "./collections.ts";
import { list, type Parameter } from "./model.ts";
import {
  askFor,
  callerOf,
  createCase,
  type CreatedCollection,
  destroy,
  explain,
  fillPlaceholders,
  insert,
  openCaseProjects,
  queryText,
  remove,
} from "./created_collection.ts";
import { caller, type CallerChoice, pagePresentation, selection } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 16;
const PAGES_MAX = 200;

interface Change {
  readonly insert: readonly Plan[];
  /** Numbers of the documents that are deleted, in the order of their creation. */
  readonly remove: readonly number[];
  /** Whether documents are deleted permanently instead of moved to the trash. */
  readonly forGood: boolean;
}

interface Walk {
  readonly caller: CallerChoice;
  readonly parameters: readonly Parameter[];
  /** Parameters that change how pages are shown. */
  readonly shown: readonly Parameter[];
  readonly changes: readonly Change[];
}

const cases = collectionCase(DOCUMENTS_MAX, (definition): fc.Arbitrary<Walk> =>
  fc.record({
    caller,
    parameters: selection(definition),
    shown: pagePresentation(definition),
    changes: fc.array(
      fc.record({
        insert: plansOf(definition, 3).map((plans) => withoutUnique(definition, plans)),
        remove: fc.array(fc.nat(100), { maxLength: 2 }),
        forGood: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }));

Deno.test("rows that are added or removed between pages do not repeat or hide others", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Walking while rows come and go", cases, async (one) => {
    const created = await createCase(await caseProjects.next(), one);
    await walk(created, { ...one, parameters: fillPlaceholders(created, one.parameters) });
  });
});

async function walk(
  created: CreatedCollection,
  { caller, parameters, shown, changes }: Walk,
): Promise<void> {
  const model = () => list(created, callerOf(created, caller), parameters);
  const start = model();
  if (start.status !== 200) return;
  const pending = [...changes];
  const touched = new Set<string>();

  /** Reads to the end. Rows that exist all the time must be seen, in order and once. */
  async function read(way: "nextCursor" | "prevCursor", first: string | null, present: string[]) {
    const seen: string[] = [];
    let cursor = first;
    let last: { ids: string[]; prevCursor: string | null } = { ids: [], prevCursor: null };
    for (let pages = 0;; pages++) {
      assert.ok(pages < PAGES_MAX, "The walk has no end");
      const asked = [...parameters, ...shown, ...cursorParameter(cursor)];
      const answer = await askFor(created, caller, queryText(asked));
      const now = model();
      explain(created, caller, { parameters: asked, answer }, () => {
        assert.ok(answer.status === 200 && now.status === 200);
        const ids: string[] = answer.body.data.items.map(({ _id }: { _id: string }) => _id);
        const modelIds = now.order.map(({ _id }) => _id);
        assert.deepEqual(
          ids,
          modelIds.filter((id) => ids.includes(id)),
          "not there, or out of order",
        );
        // In the trash a row may have another position in the list, and be found there again.
        const again = ids.filter((id) => seen.includes(id) && !touched.has(id));
        assert.deepEqual(again, [], "repeated");
        seen.push(...(way === "nextCursor" ? ids : ids.toReversed()));
        cursor = answer.body.data[way];
        last = { ids, prevCursor: answer.body.data.prevCursor };
        if (cursor !== null) return;
        const stable = present.filter((id) => !touched.has(id));
        assert.deepEqual(seen.filter((id) => stable.includes(id)), stable, "skipped");
      });
      if (cursor === null) return last;
      const change = pending.shift();
      if (change !== undefined) await apply(created, change, touched);
    }
  }

  const last = await read("nextCursor", null, start.order.map(({ _id }) => _id));
  const end = model();
  assert.ok(end.status === 200);
  const order = end.order.map(({ _id }) => _id);
  // A last page whose rows were removed is empty: all rows are before it.
  const before = last.ids.length === 0 ? order : order.slice(0, order.indexOf(last.ids[0]!));
  assert.ok(before.length === 0 || last.prevCursor !== null, "there is no way back");
  if (last.prevCursor === null) return;
  // The way back has its own changes.
  pending.push(...changes.map((change) => ({ ...change, insert: [] })));
  await read("prevCursor", last.prevCursor, before.reverse());
}

const cursorParameter = (cursor: string | null): Parameter[] =>
  cursor === null ? [] : [["cursor", cursor]];

async function apply(
  created: CreatedCollection,
  change: Change,
  touched: Set<string>,
): Promise<void> {
  await insert(created, change.insert);
  for (const pick of change.remove) {
    const live = created.documents.filter((document) => !document.isDeleted);
    if (live.length === 0) return;
    const { _id } = live[pick % live.length]!;
    touched.add(_id);
    await (change.forGood ? destroy(created, _id) : remove(created, _id));
  }
}
