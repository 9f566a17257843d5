import { setTimeout as delay } from "node:timers/promises";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { ALL } from "../store/filter.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Id, Records, Transaction } from "../store/port.ts";
import {
  type Catalog,
  type CollectionRecord,
  COLLECTIONS,
  definitionOf,
  placeOf,
} from "./catalog.ts";
import { checkDocuments } from "./check_documents.ts";
import { type Collection, compileCollection } from "./collection.ts";
import { ensureLock, takeLock } from "../projects/locks.ts";
import type { CollectionDefinition, ReplacingDefinition } from "./fields.ts";
import { shown } from "../text/input_text.ts";
import { findRecord } from "./redefine.ts";
import { holdReferences } from "./references.ts";
import { withoutRenames } from "./renames.ts";
import { asJson, refuseViolations, replaceDefinition } from "./replace_definition.ts";

export interface CollectionServices {
  readonly engine: Engine;
  readonly plans: Plans;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * Stores a new collection. Throws `INVALID_DEFINITION` for a Ref that leads nowhere,
 * `COLLECTION_EXISTS`, and `PLAN_LIMIT_REACHED` where the project's plan allows no more.
 */
export async function createCollection(
  services: CollectionServices,
  projectId: Id,
  definition: CollectionDefinition,
): Promise<CollectionDefinition> {
  const [created] = await createCollections(services, projectId, [definition]);
  return created!;
}

/**
 * Stores several new collections, which may refer to each other, or none of them. Resolves to their
 * definitions as they are stored. Throws as {@linkcode createCollection} does.
 */
export async function createCollections(
  services: CollectionServices,
  projectId: Id,
  given: readonly CollectionDefinition[],
): Promise<readonly CollectionDefinition[]> {
  const { engine, plans, catalog } = services;
  const definitions = given.map(withoutRenames); // There is nothing yet to be moved.
  const fresh = definitions.map((definition) => newRecord(services, definition));
  const plan = await plans.of(projectId);
  await ensureLock(engine, projectId, "collections");
  await engine.transaction(projectId, async (tx) => {
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    await refuseMoreCollections(tx, plan, fresh.length);
    for (const one of fresh) await insertNew(records, one);
    // By now all of them are there.
    for (const one of definitions) await holdReferences(records, one);
    for (const one of fresh) {
      await tx.define(compileCollection(definitionOf(one), { storedAs: placeOf(one) }).records);
    }
  });
  for (const { name } of fresh) catalog.forget(projectId, name);
  return definitions;
}

/** Throws `PLAN_LIMIT_REACHED` where as many more are too many. */
async function refuseMoreCollections(tx: Transaction, plan: Plan, added: number): Promise<void> {
  await takeLock(tx, "collections");
  if (await tx.records(COLLECTIONS).count(ALL) + added <= plan.collections) return;
  throw new Problem("PLAN_LIMIT_REACHED", {
    message: `The ${plan.name} plan allows ${plan.collections} collections of a project.`,
  });
}

function newRecord(
  { clock, newId }: CollectionServices,
  definition: CollectionDefinition,
): CollectionRecord {
  const { name } = definition;
  const now = timestamp(clock);
  const id = newId();
  return {
    _id: id,
    name,
    nameLower: name.toLowerCase(),
    // With the id: a collection of this name that was deleted before was kept elsewhere.
    storedAs: `${name}.${id}`,
    definition: asJson(definition),
    createdAt: now,
    updatedAt: now,
  };
}

async function insertNew(
  records: Records<CollectionRecord>,
  record: CollectionRecord,
): Promise<void> {
  try {
    await records.insert(record);
  } catch (cause) {
    if (!(cause instanceof UniqueViolation)) throw cause;
    throw new Problem("COLLECTION_EXISTS", {
      cause,
      message: `A collection of this name exists already: ${shown(record.name)}; names that ` +
        "differ only in case are one.",
    });
  }
}

/** The parts of a definition that people change apart from each other: each by its state. */
export interface DefinitionTags {
  readonly fields: string;
  readonly rls: string;
}

export const tagsOf = (
  { fields, strict, indexes, rls }: CollectionDefinition,
): DefinitionTags => ({
  fields: tagOf([fields, strict, indexes]),
  rls: tagOf(rls),
});

const tagOf = (part: unknown): string => sha256(JSON.stringify(part)).slice(0, 27);

/**
 * Replaces a collection's definition; its name selects it. Stored documents keep fields that are
 * no longer declared, and what is renamed is moved. Where nothing is changed documents are looked
 * at, and mended where they can be, for some seconds. Resolves to the definition as it is stored.
 * Throws `INVALID_DEFINITION` for a rename that cannot be done, `DEFINITION_CONFLICT` that names the first ten that do not fit, and
 * `PRECONDITION_FAILED` for a definition that is another by now.
 *
 * @param seen What the change was made from, as far as that counts.
 */
export async function updateCollection(
  services: CollectionServices,
  projectId: Id,
  given: ReplacingDefinition,
  seen: Partial<DefinitionTags> = {},
): Promise<CollectionDefinition> {
  const { engine, catalog } = services;
  const { name } = given;
  const { before, definition, renames } = await replaceDefinition(services, projectId, {
    definition: given,
    admit: (stored) => refuseChanged(stored, seen),
  });
  catalog.forget(projectId, name);
  const isMoved = renames.length > 0;
  // Until then other processes may read by the rules before, which show more, or by former names.
  if (isMoved || showsLess(before, definition)) await delay(engine.definitionLagMs);
  if (JSON.stringify(before) === JSON.stringify(definition)) {
    const { violations } = await checkDocuments(services, { projectId, name, limitMs: CHECK_MS });
    refuseViolations(violations);
  }
  return definition;
}

/** `definition check` of the administration has no such limit. */
const CHECK_MS = 5_000;

/** Whether there is somebody who may not read all that could be read before. */
function showsLess({ rls: was }: CollectionDefinition, { rls: is }: CollectionDefinition): boolean {
  const isPrivate = is.enabled && is.mode === "private";
  const wasPrivate = was.enabled && was.mode === "private";
  const hasOtherOwners = is.enabled && was.enabled && is.ownerField !== was.ownerField;
  return (isPrivate && !wasPrivate) || hasOtherOwners;
}

function refuseChanged(definition: CollectionDefinition, seen: Partial<DefinitionTags>): void {
  const now = tagsOf(definition);
  if ((seen.fields ?? now.fields) === now.fields && (seen.rls ?? now.rls) === now.rls) return;
  throw new Problem("PRECONDITION_FAILED", {
    message: "The collection has changed since you read it: read it again and repeat the change.",
  });
}

/** A definition as it is stored now; letter case counts. Throws `COLLECTION_NOT_FOUND`. */
export async function getCollection(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
  name: string,
): Promise<CollectionDefinition> {
  return definitionOf((await findRecord(engine.records(projectId, COLLECTIONS), name)).value);
}

/** Every definition of a project, by name. */
export async function listCollections(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
): Promise<CollectionDefinition[]> {
  const found = await readCollections(engine.records(projectId, COLLECTIONS));
  return found.map(definitionOf).sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Every collection of a project, to read its documents. */
export async function storedCollections(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
): Promise<readonly Collection[]> {
  const found = await readCollections(engine.records(projectId, COLLECTIONS));
  // Whoever reads all documents, or removes them, does so under whichever definition.
  return found.map((record) =>
    compileCollection(definitionOf(record), { id: record._id, storedAs: placeOf(record) })
  );
}

export const readCollections = (
  records: Records<CollectionRecord>,
): Promise<CollectionRecord[]> => Array.fromAsync(records.find({ filter: ALL }));
