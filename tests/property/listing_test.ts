import fc from "fast-check";
import { collectionCase } from "./collections.ts";
import { compareWithModel } from "./comparison.ts";
import type { Parameter } from "./model.ts";
import { createCase, fillPlaceholders, openCaseProjects } from "./created_collection.ts";
import { caller, type CallerChoice, query } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 40;
const QUERIES_MAX = 6;

interface Question {
  readonly caller: CallerChoice;
  readonly parameters: readonly Parameter[];
}

const cases = collectionCase(DOCUMENTS_MAX, (definition) => {
  const question: fc.Arbitrary<Question> = fc.record({ caller, parameters: query(definition) });
  return fc.record({
    questions: fc.array(question, { minLength: 1, maxLength: QUERIES_MAX, size: "max" }),
  });
});

Deno.test("a list matches the rules for any documents, definition and query", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Listing", cases, async (one) => {
    const created = await createCase(await caseProjects.next(), one);
    for (const { caller, parameters } of one.questions) {
      await compareWithModel(created, caller, fillPlaceholders(created, parameters));
    }
  });
});
