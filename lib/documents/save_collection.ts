import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { ALL, eq } from "../store/filter.ts";
import { UniqueViolation } from "../store/errors.ts";
import { parseJson } from "../store/json_text.ts";
import type { Definition, Engine, Id, Records, Transaction } from "../store/port.ts";
import { type Catalog, type CollectionRecord, COLLECTIONS } from "./catalog.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { parseDefinition, referencedCollections } from "./definition.ts";
import { type CollectionDefinition } from "./fields.ts";
import { misfits } from "./misfits.ts";
import { shown } from "./names.ts";

export interface CollectionServices {
  readonly engine: Engine;
  readonly plans: Plans;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * Stores a new collection. Throws `INVALID_DEFINITION`, `COLLECTION_EXISTS`, and
 * `PLAN_LIMIT_REACHED` where the project's plan allows no more.
 */
export async function createCollection(
  { engine, plans, catalog, clock, newId }: CollectionServices,
  projectId: Id,
  input: unknown,
): Promise<CollectionDefinition> {
  const definition = parseDefinition(input);
  const plan = await plans.of(projectId);
  const { name } = definition;
  const now = timestamp(clock);
  const record: CollectionRecord = {
    _id: newId(),
    name,
    nameLower: name.toLowerCase(),
    definition: asJson(definition),
    createdAt: now,
    updatedAt: now,
  };
  try {
    await engine.transaction(projectId, async (tx) => {
      const records = tx.records<CollectionRecord>(COLLECTIONS);
      await checkReferences(records, definition);
      await refuseMoreCollections(tx, projectId, plan);
      await records.insert(record);
      await tx.define(compileCollection(definition).records);
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("COLLECTION_EXISTS", { cause: error });
    throw error;
  }
  catalog.forget(projectId, name);
  return definition;
}

/**
 * Replaces a collection's definition; its name selects it. Stored documents keep fields that are
 * no longer declared. Throws `DEFINITION_CONFLICT` that names the first ten that do not fit.
 */
export async function updateCollection(
  { engine, catalog, clock }: CollectionServices,
  projectId: Id,
  input: unknown,
): Promise<CollectionDefinition> {
  const definition = parseDefinition(input);
  await engine.transaction(projectId, async (tx) => {
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    const stored = await records.findOne(eq("nameLower", definition.name.toLowerCase()));
    if (stored === null || stored.value.name !== definition.name) {
      throw new Problem("COLLECTION_NOT_FOUND");
    }
    await checkReferences(records, definition);
    const { records: wanted } = compileCollection(definition);
    await checkStored(tx, stored.value.definition, definition);
    await records.updateOne(eq("_id", stored.value._id), {
      set: { definition: asJson(definition), updatedAt: timestamp(clock) },
    });
    await tx.define(wanted, compileCollection(stored.value.definition).records);
  });
  catalog.forget(projectId, definition.name);
  return definition;
}

/** Every definition of a project, by name. */
export async function listCollections(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
): Promise<CollectionDefinition[]> {
  const records = engine.records<CollectionRecord>(projectId, COLLECTIONS);
  const definitions: CollectionDefinition[] = [];
  let page = await records.list({ filter: ALL, sort: [], limit: PAGE });
  for (;;) {
    const read = parseJson(`[${page.items}]`) as CollectionRecord[];
    definitions.push(...read.map((record) => record.definition));
    const from = page.last();
    if (!page.more || from === null) break;
    page = await records.list({ filter: ALL, sort: [], limit: PAGE, from });
  }
  return definitions.sort((a, b) => a.name < b.name ? -1 : 1);
}

const PAGE = 500;

/**
 * What counts the collections of a project, and adds one, waits for others that do: each touches
 * this record.
 */
const COLLECTION_TURNS: Definition = {
  name: "_collectionTurns",
  fields: { turns: { type: "Number" } },
  indexes: [],
  trash: false,
};

/** Throws `PLAN_LIMIT_REACHED` where a transaction must not add another collection. */
export async function refuseMoreCollections(
  tx: Transaction,
  projectId: Id,
  plan: Plan,
): Promise<void> {
  const turns = tx.records(COLLECTION_TURNS);
  const taken = await turns.updateOne(eq("_id", projectId), { increment: { turns: 1 } });
  if (taken === null) await turns.insert({ _id: projectId, turns: 1 });
  if (await tx.records(COLLECTIONS).count(ALL) < plan.collections) return;
  throw new Problem("PLAN_LIMIT_REACHED", {
    message: `The ${plan.name} plan allows ${plan.collections} collections of a project.`,
  });
}

async function checkReferences(
  records: Records<CollectionRecord>,
  definition: CollectionDefinition,
): Promise<void> {
  for (const name of new Set(referencedCollections(definition.fields))) {
    if (name === "users" || name === definition.name) continue;
    const target = await records.findOne(eq("nameLower", name.toLowerCase()));
    if (target === null || target.value.name !== name) {
      throw new Problem("INVALID_DEFINITION", {
        message: `A Ref names the collection ${
          shown(name)
        }, which does not exist: create it first.`,
      });
    }
  }
}

async function checkStored(
  tx: Transaction,
  before: CollectionDefinition,
  after: CollectionDefinition,
): Promise<void> {
  const documents = tx.records<StoredDocument>(compileCollection(before).records);
  const found = await misfits(documents, before, after);
  if (found.length === 0) return;
  throw new Problem("DEFINITION_CONFLICT", {
    message: "Stored documents do not fit the new definition. " +
      found.map(({ id, why }) => `${id}: ${why}.`).join(" "),
  });
}

/** A definition is plain JSON; its interfaces only lack an index signature. */
const asJson = (definition: CollectionDefinition): CollectionRecord["definition"] =>
  parseJson(JSON.stringify(definition)) as CollectionRecord["definition"];
