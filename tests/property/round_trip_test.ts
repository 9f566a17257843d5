import fc from "fast-check";
import assert from "node:assert/strict";
import { definition, type Members, plansOf, withoutUnique } from "./collections.ts";
import type { Definition } from "./model_types.ts";
import {
  ask,
  bodyText,
  type CaseProject,
  newCollection,
  openCaseProjects,
} from "./created_collection.ts";
import { open, SERVER, undeclared } from "./members.ts";
import { check } from "./run.ts";

const SOMEBODY = "f".repeat(24);

interface Case {
  readonly definition: Definition;
  readonly members: Members;
  /** What the document is replaced by. */
  readonly others: Members;
}

const cases: fc.Arbitrary<Case> = definition.chain((definition) => {
  const declared = plansOf(definition, 2)
    .map((plans) => withoutUnique(definition, plans).map(({ members }) => members));
  return fc.tuple(declared, open, open).map(([[members, others], ...more]) => ({
    definition,
    members: { ...undeclared(definition, more[0]!), ...members },
    others: { ...undeclared(definition, more[1]!), ...others },
  }));
});

Deno.test("a stored document reads back as it was sent, everywhere", async () => {
  await using caseProjects = await openCaseProjects();
  await check("Round trip", cases, async (one) => {
    try {
      await roundTrip(await caseProjects.next(), one);
    } catch (error) {
      const { definition, members, others } = one;
      throw new Error(
        `POST ${bodyText(members)}\nPUT ${bodyText(others)}\n` +
          `collection: ${JSON.stringify(definition)}\n${(error as Error).message}`,
      );
    }
  });
});

async function roundTrip(
  caseProject: CaseProject,
  { definition, members, others }: Case,
): Promise<void> {
  const collection = await newCollection(caseProject, definition);
  const owned = withOwner(collection, members);
  const created = await ask(caseProject, collection, { body: bodyText(owned) });
  assert.equal(created.status, 201, created.text);
  const stored = created.body.data;
  assert.deepEqual(own(stored), owned, "POST");
  await readBack(caseProject, collection, stored);

  const path = `/${stored._id}`;
  caseProject.app.clock.advance(1);
  const same = await ask(caseProject, collection, { method: "PUT", path, body: bodyText(stored) });
  assert.equal(same.status, 200, same.text);
  assert.deepEqual(own(same.body.data), owned, "PUT of what was read");

  const kept = own(stored, [collection.rls.ownerField]);
  const replaced = await ask(caseProject, collection, {
    method: "PUT",
    path,
    body: bodyText(others),
  });
  assert.equal(replaced.status, 200, replaced.text);
  const wanted = collection.rls.enabled ? { ...kept, ...others } : others;
  assert.deepEqual(own(replaced.body.data), wanted, "PUT of another");
  assert.equal(replaced.body.data.createdAt, stored.createdAt);
  await readBack(caseProject, collection, replaced.body.data);
}

/** Alone and in a list. */
async function readBack(
  caseProject: CaseProject,
  collection: Definition,
  stored: Members,
): Promise<void> {
  const read = await ask(caseProject, collection, { path: `/${stored._id}` });
  assert.deepEqual(read.body.data, stored, "GET");
  const listed = await ask(caseProject, collection, { path: `?_id=${stored._id}` });
  assert.deepEqual(listed.body.data.items, [stored], "list");
  const shown = await ask(caseProject, collection, { path: `?meta=false&total=none` });
  assert.deepEqual(shown.body.data.items.map((item: Members) => own(item)), [own(stored)], "meta");
}

function withOwner({ rls }: Definition, members: Members): Members {
  return rls.enabled ? { ...members, [rls.ownerField]: SOMEBODY } : members;
}

/** What is not the server's; or only the named ones. */
const own = (document: Members, only?: readonly string[]): Members =>
  Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => only === undefined ? !SERVER.includes(name) : only.includes(name)),
  );
