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
import { open, SERVER, undeclaredMembers } from "./members.ts";
import { check } from "./run.ts";

const UNKNOWN_OWNER = "f".repeat(24);

interface Case {
  readonly definition: Definition;
  readonly members: Members;
  /** Members that replace the document's. */
  readonly others: Members;
}

const cases: fc.Arbitrary<Case> = definition.chain((definition) => {
  const declared = plansOf(definition, 2)
    .map((plans) => withoutUnique(definition, plans).map(({ members }) => members));
  return fc.tuple(declared, open, open).map(([[members, others], ...more]) => ({
    definition,
    members: { ...undeclaredMembers(definition, more[0]!), ...members },
    others: { ...undeclaredMembers(definition, more[1]!), ...others },
  }));
});

Deno.test("a stored document is returned as it was sent, by every operation", async () => {
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
  assert.deepEqual(ownMembers(stored), owned, "POST");
  await readBack(caseProject, collection, stored);

  const path = `/${stored._id}`;
  caseProject.app.clock.advance(1);
  const same = await ask(caseProject, collection, { method: "PUT", path, body: bodyText(stored) });
  assert.equal(same.status, 200, same.text);
  assert.deepEqual(ownMembers(same.body.data), owned, "PUT of the document that was read");

  const kept = ownMembers(stored, [collection.rls.ownerField]);
  const replaced = await ask(caseProject, collection, {
    method: "PUT",
    path,
    body: bodyText(others),
  });
  assert.equal(replaced.status, 200, replaced.text);
  const wanted = collection.rls.enabled ? { ...kept, ...others } : others;
  assert.deepEqual(ownMembers(replaced.body.data), wanted, "PUT of another");
  assert.equal(replaced.body.data.createdAt, stored.createdAt);
  await readBack(caseProject, collection, replaced.body.data);
}

/** Reads a document by its id and in a list. */
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
  assert.deepEqual(shown.body.data.items.map((item: Members) => ownMembers(item)), [
    ownMembers(stored),
  ], "meta");
}

function withOwner({ rls }: Definition, members: Members): Members {
  return rls.enabled ? { ...members, [rls.ownerField]: UNKNOWN_OWNER } : members;
}

/** Returns the members that the server did not add, or only the named ones. */
const ownMembers = (document: Members, only?: readonly string[]): Members =>
  Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => only === undefined ? !SERVER.includes(name) : only.includes(name)),
  );
