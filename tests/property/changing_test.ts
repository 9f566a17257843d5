import fc from "fast-check";
import { collectionCase, type Plan, plansOf, withoutUnique } from "./collections.ts";
import { compareWithModel } from "./comparison.ts";
import type { Parameter } from "./model.ts";
import {
  createCase,
  type CreatedCollection,
  destroy,
  fillPlaceholders,
  insert,
  openCaseProjects,
  recover,
  remove,
  replace,
} from "./created_collection.ts";
import { caller, type CallerChoice, query } from "./queries.ts";
import { check } from "./run.ts";

const DOCUMENTS_MAX = 12;
/** Number of requests after which a list could be answered from a cache. */
const WARMING = 6;

interface Change {
  readonly kind: "insert" | "replace" | "remove" | "recover" | "destroy";
  /** Number of the document, in the order of creation. */
  readonly pick: number;
  readonly plan: Plan;
}

interface Case {
  readonly caller: CallerChoice;
  readonly parameters: readonly Parameter[];
  readonly changes: readonly Change[];
}

const cases = collectionCase(DOCUMENTS_MAX, (definition): fc.Arbitrary<Case> =>
  fc.record({
    caller,
    parameters: query(definition),
    changes: fc.array(
      fc.record({
        kind: fc.constantFrom<Change["kind"]>("insert", "replace", "remove", "recover", "destroy"),
        pick: fc.nat(100),
        plan: plansOf(definition, 1).map(([plan]) =>
          withoutUnique(definition, [plan ?? EMPTY])[0]!
        ),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  }));

const EMPTY: Plan = { members: {}, owner: null, deleted: false, before: null, later: false };

Deno.test("a list that is requested repeatedly shows every change at once", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Lists that change", cases, async ({ caller, parameters, changes, ...one }) => {
    const created = await createCase(await caseProjects.next(), one);
    const asked = fillPlaceholders(created, parameters);
    for (let i = 0; i < WARMING; i++) await compareWithModel(created, caller, asked);
    for (const change of changes) {
      await apply(created, change);
      await compareWithModel(created, caller, asked);
    }
  });
});

async function apply(created: CreatedCollection, { kind, pick, plan }: Change): Promise<void> {
  created.caseProject.app.clock.advance(1);
  if (kind === "insert") return await insert(created, [plan]);
  const inTrash = kind === "recover";
  const some = created.documents.filter(({ isDeleted }) => isDeleted === inTrash);
  if (some.length === 0) return;
  const { _id } = some[pick % some.length]!;
  switch (kind) {
    case "replace":
      return await replace(created, _id, plan.members);
    case "remove":
      return await remove(created, _id);
    case "recover":
      return await recover(created, _id);
    case "destroy":
      return await destroy(created, _id);
  }
}
