import fc from "fast-check";
import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { type CollectionCase, collectionCase, type Members } from "./collections.ts";
import { hostile, type Question } from "./hostile.ts";
import { isVisible, list } from "./model.ts";
import type { Definition } from "./model_types.ts";
import type { Document } from "./model_values.ts";
import {
  askFor,
  callerOf,
  createCase,
  type CreatedCollection,
  destroy,
  explain,
  fillPlaceholders,
  openCaseProjects,
  queryText,
} from "./created_collection.ts";
import { type CallerChoice } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 14;
const QUESTIONS_MAX = 6;

/** Private rows of every user, without owner, and in the trash, as targets of references. */
const LINKED: CollectionCase = {
  definition: {
    name: "linked",
    fields: [{ key: "mark", type: "String" }],
    rls: { enabled: true, mode: "private", ownerField: "userId" },
    strict: false,
  },
  plans: [0, 1, null, 0, 1].map((owner, i) => ({
    ...{ members: { mark: mark("linked", i) }, owner, before: null, later: false },
    deleted: i > 2,
  })),
};

/** Returns a text that no query contains: an answer that contains it shows its document. */
function mark(kind: string, n: number): string {
  return `<${kind}-${n}>`;
}

const cases = collectionCase(DOCUMENTS_MAX, (definition) =>
  fc.record({
    caller: fc.constantFrom<CallerChoice>("publishable", 0, 1, 2),
    questions: fc.array(hostile(withLinks(definition, "linked")), {
      minLength: 1,
      maxLength: QUESTIONS_MAX,
      size: "max",
    }),
  }));

Deno.test("no parameter shows a row, or a count of rows, that the caller may not see", async () => {
  await using caseProjects = await openCaseProjects();
  let linked: CreatedCollection | null = null;
  await check("Row-level security", cases, async ({ caller, questions, ...collection }) => {
    const caseProject = await caseProjects.next();
    if (linked?.caseProject !== caseProject) linked = await createCase(caseProject, LINKED);
    const created = await createCase(caseProject, withMarks(collection, linked));
    const asked = [];
    for (const question of questions) asked.push(await ask(created, linked, caller, question));
    await readHidden(created, caller);
    await withoutHidden(created, caller);
    // Hidden rows do not affect any answer: without them the answers are the same.
    for (const { query, answer, explainFailure } of asked) {
      const again = await askFor(created, caller, query);
      explainFailure(() => {
        assert.equal(again.status, answer.status);
        assert.deepEqual(again.body, answer.body, "hidden rows change the answer");
      });
    }
  });
});

/** Adds two refs to private rows, one to a user, and a mark that identifies each row. */
function withLinks(definition: Definition, target: string): Definition {
  const extra = ["mark", "link", "links", "friend"];
  return {
    ...definition,
    fields: [
      ...definition.fields.filter(({ key }) => !extra.includes(key)),
      { key: "mark", type: "String" },
      { key: "link", type: "Ref", ref: target },
      { key: "links", type: "Array", items: { type: "Ref", ref: target } },
      { key: "friend", type: "Ref", ref: "users" },
    ],
  };
}

function withMarks(
  { definition, plans }: CollectionCase,
  linked: CreatedCollection,
): CollectionCase {
  const ids = linked.documents.map(({ _id }) => _id);
  const members = (n: number): Members => ({
    ...{ mark: mark("row", n), link: ids[n % ids.length]!, links: ids },
    friend: linked.caseProject.users[n % linked.caseProject.users.length]!.id,
  });
  return {
    definition: withLinks(definition, linked.definition.name),
    plans: plans.map((plan, n) => ({
      ...plan,
      members: { ...plan.members, ...members(n) },
      before: plan.before && { ...plan.before, ...members(n) },
    })),
  };
}

async function ask(
  created: CreatedCollection,
  linked: CreatedCollection,
  caller: CallerChoice,
  question: Question,
) {
  const parameters = fillPlaceholders(created, question.parameters);
  const query = [queryText(parameters), ...question.raw].filter((part) => part !== "").join("&");
  const answer = await askFor(created, caller, query);
  const explainFailure = (compare: () => void) =>
    explain(created, caller, { parameters, answer }, compare);
  // Rows in the trash are only shown on request.
  const withTrash = query.includes("include_deleted");
  explainFailure(() => {
    assert.ok(answer.status < 500);
    checkShown(answer, visibleOf(created, caller, withTrash));
    for (const { mark } of [created, linked].flatMap((one) => hiddenOf(one, caller, withTrash))) {
      assert.ok(!answer.text.includes(String(mark)), `shows ${mark}`);
    }
  });
  if (question.stolenCursor) await useStolenCursor(created, caller, query);
  return { query, answer, explainFailure };
}

function checkShown({ status, body }: Answer, documents: readonly Document[]): void {
  if (status !== 200) return;
  const visible = documents.map(({ _id }) => _id);
  const { items = [], total = 0, count = 0 } = body.data;
  for (const { _id } of items) assert.ok(visible.includes(_id), `shows ${_id}`);
  assert.ok(Math.max(total, count) <= visible.length, "counts hidden rows");
}

/** Checks that the cursor of another caller's page is refused. */
async function useStolenCursor(
  created: CreatedCollection,
  caller: CallerChoice,
  query: string,
): Promise<void> {
  const own = await askFor(created, "secret", `${query}&limit=1`);
  const cursor: string | null = own.body?.data?.nextCursor ?? null;
  if (cursor === null) return;
  const parameters = [["cursor", cursor]] as const;
  const answer = await askFor(created, caller, `${query}&limit=1&${queryText(parameters)}`);
  explain(created, caller, { parameters, answer }, () => {
    assert.ok(answer.status === 400 || answer.status === 401, "takes another caller's cursor");
  });
}

const isSeenBy = (
  { definition, caseProject }: CreatedCollection,
  caller: CallerChoice,
  includeDeleted: boolean,
) => {
  const asked = callerOf({ caseProject }, caller);
  const isOpen = list({ definition, documents: [] }, asked, []).status === 200;
  return (document: Document) => isOpen && isVisible(definition, document, asked, includeDeleted);
};

const visibleOf = (
  created: CreatedCollection,
  caller: CallerChoice,
  includeDeleted: boolean,
): Document[] => created.documents.filter(isSeenBy(created, caller, includeDeleted));

function hiddenOf(
  created: CreatedCollection,
  caller: CallerChoice,
  includeDeleted = true,
): Document[] {
  const isSeen = isSeenBy(created, caller, includeDeleted);
  return created.documents.filter((document) => !isSeen(document));
}

/** Checks that the first hidden row cannot be read by its id. */
async function readHidden(created: CreatedCollection, caller: CallerChoice): Promise<void> {
  const [hidden] = hiddenOf(created, caller);
  if (hidden === undefined) return;
  const parameters = [["include_deleted", "true"], ["populate", "link"]] as const;
  const answer = await askFor(created, caller, queryText(parameters), `/${hidden._id}`);
  explain(created, caller, { parameters, answer }, () => {
    assert.ok([401, 404].includes(answer.status), `reads ${hidden._id}`);
  });
}

async function withoutHidden(created: CreatedCollection, caller: CallerChoice): Promise<void> {
  for (const { _id } of hiddenOf(created, caller)) await destroy(created, _id);
}
