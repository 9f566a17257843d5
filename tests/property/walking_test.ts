import fc from "fast-check";
import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { collectionCase } from "./collections.ts";
import { list, type Listing, type Parameter } from "./model.ts";
import {
  askFor,
  callerOf,
  createCase,
  type CreatedCollection,
  explain,
  fillPlaceholders,
  openCaseProjects,
  queryText,
} from "./created_collection.ts";
import { caller, type CallerChoice, pagePresentation, selection } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 30;

interface Walk {
  readonly caller: CallerChoice;
  readonly parameters: readonly Parameter[];
  /** Number of the page at which it begins, if that page exists. */
  readonly start: number;
  /** Parameters that show the pages, in turn. */
  readonly steps: readonly (readonly Parameter[])[];
}

const cases = collectionCase(DOCUMENTS_MAX, (definition): fc.Arbitrary<Walk> =>
  fc.record({
    caller,
    parameters: selection(definition),
    start: fc.nat(5),
    steps: fc.array(pagePresentation(definition), { minLength: 1, maxLength: 4 }),
  }));

Deno.test("pages by cursor go through the complete list and back, each row once", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Walking", cases, async (one) => {
    const created = await createCase(await caseProjects.next(), one);
    await new Walker(created, { ...one, parameters: fillPlaceholders(created, one.parameters) })
      .walk();
  });
});

/** The part of a list on a page: from the first index up to, and without, the second. */
type Span = readonly [from: number, to: number];

interface Step {
  readonly answer: Answer;
  readonly span: Span;
}

/** Reads one list and compares every page with the model. */
class Walker {
  readonly #created: CreatedCollection;
  readonly #walk: Walk;
  #steps = 0;

  constructor(created: CreatedCollection, walk: Walk) {
    this.#created = created;
    this.#walk = walk;
  }

  async walk(): Promise<void> {
    const { order } = await this.#ask([], () => {}) ?? { order: null };
    if (order === null) return;
    let step = await this.#first(order.length);
    while (step.answer.body.data.nextCursor !== null) step = await this.#onwards(step);
    assert.equal(step.span[1], order.length);
    while (step.answer.body.data.prevCursor !== null) step = await this.#back(step);
    assert.equal(step.span[0], 0);
    // After going back, paging forward continues.
    if (step.span[1] < order.length) await this.#onwards(step);
  }

  async #first(length: number): Promise<Step> {
    const limit = Number(this.#next().find(([name]) => name === "limit")![1]);
    const pages = Math.max(1, Math.ceil(length / limit));
    const page = this.#walk.start % pages;
    const span: Span = [page * limit, Math.min(length, (page + 1) * limit)];
    return await this.#page(span, [["page", String(page + 1)], ["limit", String(limit)]]);
  }

  #onwards({ answer, span: [, from] }: Step): Promise<Step> {
    const shown = this.#next();
    const cursor: Parameter = ["cursor", answer.body.data.nextCursor];
    return this.#page([from, from + limitOf(shown)], [...shown, cursor]);
  }

  #back({ answer, span: [to] }: Step): Promise<Step> {
    const shown = this.#next();
    const cursor: Parameter = ["cursor", answer.body.data.prevCursor];
    return this.#page([Math.max(0, to - limitOf(shown)), to], [...shown, cursor]);
  }

  #next(): readonly Parameter[] {
    const { steps } = this.#walk;
    return steps[this.#steps++ % steps.length]!;
  }

  /** Requests a page and compares it with its part of the model's list. */
  async #page([from, to]: Span, more: readonly Parameter[]): Promise<Step> {
    let step: Step | undefined;
    await this.#ask(more, (answer, { order, show, total, limit }) => {
      const { data } = answer.body;
      const span: Span = [from, Math.min(to, order.length)];
      const items = order.slice(...span).map(show);
      assert.deepEqual(data.items.map(idOf), items.map(idOf), "other documents, or another order");
      assert.deepEqual(data.items, items);
      assert.equal(data.limit, limit);
      if (total === "exact") assert.equal(data.total, order.length);
      const cursor = more.find(([name]) => name === "cursor")?.[1];
      assert.equal(data.cursor, cursor);
      assert.equal("page" in data, cursor === undefined);
      assert.equal(data.nextCursor === null, span[1] === order.length, "nextCursor");
      assert.equal(data.prevCursor === null, span[0] === 0, "prevCursor");
      step = { answer, span };
    });
    return step!;
  }

  /** Resolves to null if the model refuses the list. */
  async #ask(
    more: readonly Parameter[],
    compare: (answer: Answer, expected: Listing) => void,
  ): Promise<Listing | null> {
    const parameters = [...this.#walk.parameters, ...more];
    const { caller } = this.#walk;
    const readable = parameters.filter(([name]) => name !== "cursor");
    const expected = list(this.#created, callerOf(this.#created, caller), readable);
    const answer = await askFor(this.#created, caller, queryText(parameters));
    explain(this.#created, caller, { parameters, answer }, () => {
      assert.equal(answer.status, expected.status);
      if (expected.status === 200) compare(answer, expected);
    });
    return expected.status === 200 ? expected : null;
  }
}

const limitOf = (parameters: readonly Parameter[]): number =>
  Number(parameters.find(([name]) => name === "limit")![1]);

const idOf = ({ _id }: { _id: string }): string => _id;
