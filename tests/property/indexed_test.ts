import fc from "fast-check";
import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { valueAt } from "@/lib/store/shape.ts";
import { updateCollection } from "../support/given.ts";
import { collectionCase } from "./collections.ts";
import {
  askFor,
  createCase,
  type CreatedCollection,
  explain,
  fillPlaceholders,
  openCaseProjects,
  queryText,
} from "./created_collection.ts";
import type { Parameter } from "./model.ts";
import type { Definition, Field } from "./model_types.ts";
import { caller, type CallerChoice, selection } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 30;
const QUESTIONS = 10;

interface Question {
  readonly caller: CallerChoice;
  readonly parameters: readonly Parameter[];
  readonly limit: number;
}

const indexesOf = ({ fields, indexes = [] }: Definition): (readonly string[])[] => [
  ...indexes.map((index) => index.fields),
  ...indexedIn(fields).map((path) => [path]),
];

const indexedIn = (fields: readonly Field[], at = ""): string[] =>
  fields.flatMap((field) => [
    ...(field.index ? [at + field.key] : []),
    ...indexedIn(field.fields ?? [], `${at}${field.key}.`),
  ]);

const pathOf = (key: string): string => key.replace(/^-/, "");

const reversedKey = (key: string): string => key.startsWith("-") ? pathOf(key) : `-${key}`;

/**
 * A query that an index serves: its first keys are fixed to values of a document, the others are
 * sorted by, in either direction. Sometimes it has another condition.
 */
const indexedQuery = (definition: Definition): fc.Arbitrary<Parameter[]> =>
  fc.record({
    keys: fc.constantFrom(...indexesOf(definition), ["createdAt"]),
    fixed: fc.nat(4),
    nth: fc.nat(DOCUMENTS_MAX),
    isTurned: fc.boolean(),
    operator: fc.constantFrom("", "", "", "_in", "_gte"),
    others: fc.oneof(
      fc.constant<Parameter[]>([]),
      fc.constantFrom<Parameter[]>([["isDeleted", "true"]], [["isDeleted", "false"]]),
      selection(definition).map((all) => all.filter(([name]) => name !== "sort")),
    ),
    deleted: fc.constantFrom<Parameter[]>([], [["include_deleted", "true"]]),
  }).map(({ keys, fixed, nth, isTurned, operator, others, deleted }) => {
    const asked = keys.slice(0, fixed).map(pathOf);
    const sorted = keys.slice(fixed).map((key) => isTurned ? reversedKey(key) : key);
    return [
      ...asked.map((path, i): Parameter => [
        i === asked.length - 1 ? path + operator : path,
        `@value${nth} ${path}`,
      ]),
      ...(sorted.length > 0 ? [["sort", sorted.join()] as Parameter] : []),
      ...others,
      ...deleted,
    ];
  });

/** Replaces the placeholders of a query by values of documents. */
const withValues = (
  { documents }: CreatedCollection,
  parameters: readonly Parameter[],
): Parameter[] =>
  parameters.map(([name, text]): Parameter => {
    const [, nth, path] = /^@value(\d+) (.*)$/.exec(text) ?? [];
    if (path === undefined) return [name, text];
    const document = documents[Number(nth) % Math.max(documents.length, 1)];
    const value = document === undefined ? undefined : valueAt(document, path);
    const one = Array.isArray(value) ? value[Number(nth) % Math.max(value.length, 1)] : value;
    return [name, typeof one === "string" ? one : JSON.stringify(one ?? null)];
  });

const cases = collectionCase(DOCUMENTS_MAX, (definition) => {
  const question: fc.Arbitrary<Question> = fc.record({
    caller,
    parameters: fc.oneof(selection(definition), indexedQuery(definition)),
    limit: fc.integer({ min: 1, max: 9 }),
  });
  return fc.record({
    questions: fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS }),
  });
});

/** The result of a query: the list in both directions, or why it was refused. */
interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly total: number | undefined;
  readonly forwards: readonly string[];
  readonly backwards: readonly string[];
}

const idsOf = ({ body }: Answer): string[] =>
  body.data.items.map(({ _id }: { _id: string }) => _id);

/** Reads to the end of the list by its cursors, and back. */
async function walk(
  created: CreatedCollection,
  { caller, parameters, limit }: Question,
): Promise<Answered> {
  const filled = withValues(created, fillPlaceholders(created, parameters));
  const query = queryText([...filled, ["limit", String(limit)]]);
  const at = (cursor: string) =>
    askFor(created, caller, `${query}&${queryText([["cursor", cursor]])}`);
  let answer = await askFor(created, caller, query);
  const { status, body: { code } } = answer;
  if (status !== 200) return { status, code, total: undefined, forwards: [], backwards: [] };
  const total: number = answer.body.data.total;
  const forwards = idsOf(answer);
  while (answer.body.data.nextCursor !== null) {
    answer = await at(answer.body.data.nextCursor);
    forwards.push(...idsOf(answer));
  }
  const backwards = idsOf(answer);
  while (answer.body.data.prevCursor !== null) {
    answer = await at(answer.body.data.prevCursor);
    backwards.unshift(...idsOf(answer));
  }
  return { status, code, total, forwards, backwards };
}

const withoutIndexes = (definition: Definition): Definition => ({
  ...definition,
  fields: definition.fields.map(withoutIndex),
  indexes: [],
});

const withoutIndex = ({ index: _index, fields, ...field }: Field): Field => ({
  ...field,
  ...(fields && { fields: fields.map(withoutIndex) }),
});

Deno.test("indexes of one or several fields, and of arrays, do not change any answer", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Indexes", cases, async ({ questions, ...one }) => {
    const created = await createCase(await caseProjects.next(), one);
    const { definition, caseProject: { app, project } } = created;
    const indexed: Answered[] = [];
    for (const question of questions) indexed.push(await walk(created, question));
    await updateCollection(app.services, project.projectId, withoutIndexes(definition));
    for (const [i, question] of questions.entries()) {
      const { caller } = question;
      const parameters = withValues(created, fillPlaceholders(created, question.parameters));
      const answer = await askFor(created, caller, queryText(parameters));
      const bare = await walk(created, question);
      explain(created, caller, { parameters, answer }, () => {
        assert.deepEqual(indexed[i], bare);
        assert.deepEqual(bare.backwards, bare.forwards);
        assert.equal(bare.forwards.length, bare.total ?? 0);
      });
    }
  });
});
