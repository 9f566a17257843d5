import fc from "fast-check";
import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { updateCollection } from "../support/given.ts";
import { collectionCase } from "./collections.ts";
import {
  askFor,
  createCase,
  type CreatedCollection,
  explain,
  filledIn,
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

const cases = collectionCase(DOCUMENTS_MAX, (definition) => {
  const question: fc.Arbitrary<Question> = fc.record({
    caller,
    parameters: selection(definition),
    limit: fc.integer({ min: 1, max: 9 }),
  });
  return fc.record({
    questions: fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS }),
  });
});

/** What a question answers: the list in both directions, or why there is none. */
interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly total: number | undefined;
  readonly forwards: readonly string[];
  readonly backwards: readonly string[];
}

const idsOf = ({ body }: Answer): string[] =>
  body.data.items.map(({ _id }: { _id: string }) => _id);

/** Walks to the end of the list by its cursors, and back. */
async function walk(
  created: CreatedCollection,
  { caller, parameters, limit }: Question,
): Promise<Answered> {
  const query = queryText([...filledIn(created, parameters), ["limit", String(limit)]]);
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
  fields: definition.fields.map(unindexed),
  indexes: [],
});

const unindexed = ({ index: _index, fields, ...field }: Field): Field => ({
  ...field,
  ...(fields && { fields: fields.map(unindexed) }),
});

Deno.test("indexes of one or several fields, and of arrays, change no answer", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Indexes", cases, async ({ questions, ...one }) => {
    const created = await createCase(await caseProjects.next(), one);
    const { definition, caseProject: { app, project } } = created;
    const indexed: Answered[] = [];
    for (const question of questions) indexed.push(await walk(created, question));
    await updateCollection(app.services, project.projectId, withoutIndexes(definition));
    for (const [i, question] of questions.entries()) {
      const { caller, parameters } = question;
      const answer = await askFor(created, caller, queryText(filledIn(created, parameters)));
      const bare = await walk(created, question);
      explain(created, caller, { parameters, answer }, () => {
        assert.deepEqual(indexed[i], bare);
        assert.deepEqual(bare.backwards, bare.forwards);
        assert.equal(bare.forwards.length, bare.total ?? 0);
      });
    }
  });
});
