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
  tableName,
} from "./catalog.ts";
import { checkDocuments } from "./check_documents.ts";
import { type Collection, compileCollection } from "./collection.ts";
import { ensureLock, takeLock } from "../projects/locks.ts";
import type { CollectionDefinition, ReplacingDefinition } from "./fields.ts";
import { quoted } from "../text/input_text.ts";
import { findRecord } from "./redefine.ts";
import { lockReferences } from "./references.ts";
import { withoutRenames } from "./renames.ts";
import { asJson, assertNoViolations, replaceDefinition } from "./replace_definition.ts";

export interface CollectionServices {
  readonly engine: Engine;
  readonly plans: Plans;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Throws `COLLECTION_EXISTS`, `PLAN_LIMIT_REACHED`, and `INVALID_DEFINITION` for a missing Ref. */
export async function createCollection(
  services: CollectionServices,
  projectId: Id,
  definition: CollectionDefinition,
): Promise<CollectionDefinition> {
  const [created] = await createCollections(services, projectId, [definition]);
  return created!;
}

/**
 * Creates all collections, which may refer to each other, or none. Throws the errors of
 * {@linkcode createCollection}.
 */
export async function createCollections(
  services: CollectionServices,
  projectId: Id,
  given: readonly CollectionDefinition[],
): Promise<readonly CollectionDefinition[]> {
  const { engine, plans, catalog } = services;
  const definitions = given.map(withoutRenames); // There are no documents yet.
  const newRecords = definitions.map((definition) => newRecord(services, definition));
  const plan = await plans.ofProject(projectId);
  await ensureLock(engine, projectId, "collections");
  await engine.transaction(projectId, async (tx) => {
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    await assertCollectionLimit(tx, plan, newRecords.length);
    for (const one of newRecords) await insertNew(records, one);
    // All collections exist by now, because they may refer to each other.
    for (const one of definitions) await lockReferences(records, one);
    for (const one of newRecords) {
      await tx.define(compileCollection(definitionOf(one), { storedAs: tableName(one) }).records);
    }
  });
  for (const { name } of newRecords) catalog.forget(projectId, name);
  return definitions;
}

/** Throws `PLAN_LIMIT_REACHED`. */
async function assertCollectionLimit(tx: Transaction, plan: Plan, added: number): Promise<void> {
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
    // The id distinguishes the table from that of a deleted collection.
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
      message: `A collection of this name exists already: ${quoted(record.name)}; names that ` +
        "differ only in case are the same name.",
    });
  }
}

/** Hashes of the parts of a definition that people edit independently. */
export interface DefinitionTags {
  readonly fields: string;
  readonly rls: string;
}

export const definitionTags = (
  { fields, strict, indexes, rls }: CollectionDefinition,
): DefinitionTags => ({
  fields: hashPart([fields, strict, indexes]),
  rls: hashPart(rls),
});

const hashPart = (part: unknown): string => sha256(JSON.stringify(part)).slice(0, 27);

/**
 * Replaces a definition. Documents keep fields that are no longer declared, and move values of
 * renamed fields. If the definition is unchanged, documents are checked and repaired for up to
 * {@linkcode CHECK_MS}. Throws `INVALID_DEFINITION` for an impossible rename, `DEFINITION_CONFLICT`
 * with the first ten invalid documents, and `PRECONDITION_FAILED` if a part in `seen` has changed.
 *
 * @param seen Tags of the parts on which the change is based.
 */
export async function updateCollection(
  services: CollectionServices,
  projectId: Id,
  replacement: ReplacingDefinition,
  seen: Partial<DefinitionTags> = {},
): Promise<CollectionDefinition> {
  const { engine, catalog } = services;
  const { name } = replacement;
  const { before, definition, renames } = await replaceDefinition(services, projectId, {
    definition: replacement,
    assertReplaceable: (stored) => assertUnchanged(stored, seen),
  });
  catalog.forget(projectId, name);
  const isMoved = renames.length > 0;
  // Until then, other processes may read with the previous names, or with rules that allow more.
  if (isMoved || restrictsReading(before, definition)) await delay(engine.definitionLagMs);
  if (JSON.stringify(before) === JSON.stringify(definition)) {
    const { violations } = await checkDocuments(services, { projectId, name, limitMs: CHECK_MS });
    assertNoViolations(violations);
  }
  return definition;
}

/** Milliseconds for checking documents. The command `definition check` is not limited. */
const CHECK_MS = 5_000;

function restrictsReading(
  { rls: before }: CollectionDefinition,
  { rls: after }: CollectionDefinition,
): boolean {
  const isPrivate = after.enabled && after.mode === "private";
  const wasPrivate = before.enabled && before.mode === "private";
  const hasOtherOwners = after.enabled && before.enabled && after.ownerField !== before.ownerField;
  return (isPrivate && !wasPrivate) || hasOtherOwners;
}

function assertUnchanged(definition: CollectionDefinition, seen: Partial<DefinitionTags>): void {
  const now = definitionTags(definition);
  if ((seen.fields ?? now.fields) === now.fields && (seen.rls ?? now.rls) === now.rls) return;
  throw new Problem("PRECONDITION_FAILED", {
    message: "The collection has changed since you read it: read it again and repeat the change.",
  });
}

/** Finds a definition by its exact name. Throws `COLLECTION_NOT_FOUND`. */
export async function getCollection(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
  name: string,
): Promise<CollectionDefinition> {
  return definitionOf((await findRecord(engine.records(projectId, COLLECTIONS), name)).value);
}

/** Returns definitions ordered by name. */
export async function listCollections(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
): Promise<CollectionDefinition[]> {
  const found = await readCollections(engine.records(projectId, COLLECTIONS));
  return found.map(definitionOf).sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Returns a project's collections, for reading or removing their documents. */
export async function compileCollections(
  { engine }: Pick<CollectionServices, "engine">,
  projectId: Id,
): Promise<readonly Collection[]> {
  const found = await readCollections(engine.records(projectId, COLLECTIONS));
  // Without `dependsOn`, because reads and removals do not depend on the definition's version.
  return found.map((record) =>
    compileCollection(definitionOf(record), { id: record._id, storedAs: tableName(record) })
  );
}

export const readCollections = (
  records: Records<CollectionRecord>,
): Promise<CollectionRecord[]> => Array.fromAsync(records.find({ filter: ALL }));
