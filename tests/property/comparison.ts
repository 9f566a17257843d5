import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { list, type Listing, pageOf, type Parameter } from "./model.ts";
import type { Document } from "./model_values.ts";
import {
  askFor,
  callerOf,
  type CreatedCollection,
  explain,
  queryText,
} from "./created_collection.ts";
import type { CallerChoice } from "./queries.ts";

/** Requests a page by number and fails unless every member matches the model. */
export async function compareWithModel(
  created: CreatedCollection,
  caller: CallerChoice,
  parameters: readonly Parameter[],
): Promise<void> {
  const expected = list(created, callerOf(created, caller), parameters);
  const answer = await askFor(created, caller, queryText(parameters));
  explain(created, caller, { parameters, answer }, () => {
    assert.equal(answer.status, expected.status);
    if (expected.status === 200) compareData(answer, expected);
  });
}

function compareData({ body: { data } }: Answer, expected: Listing): void {
  const { order, page, limit, total, count } = expected;
  if (count) {
    assert.deepEqual(data, {
      count: order.length,
      items: [],
      ...(total !== "none" && { total: order.length }),
      page,
      limit,
      nextCursor: null,
      prevCursor: null,
    });
    return;
  }
  const items = pageOf(expected);
  assert.deepEqual(data.items.map(idOf), items.map(idOf), "other documents, or in another order");
  assert.deepEqual(data.items, items);
  assert.deepEqual(Object.keys(data).sort(), membersOf(expected));
  assert.equal(data.page, page);
  assert.equal(data.limit, limit);
  if (total === "exact") assert.equal(data.total, order.length);
  // After the end there is no first document from which to page back.
  if (items.length > 0) assert.equal(data.prevCursor === null, page === 1, "prevCursor");
  assert.equal(data.nextCursor === null, page * limit >= order.length, "nextCursor");
}

const idOf = ({ _id }: Document): string => _id;

const membersOf = ({ total }: Listing): string[] =>
  [
    ...["items", "page", "nextCursor", "prevCursor", "limit"],
    ...(total === "none" ? [] : ["total"]),
    ...(total === "estimate" ? ["totalIsEstimate"] : []),
  ].sort();
