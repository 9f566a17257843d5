import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { Outdated, StoreUnavailable, UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Engine, FieldRename, Id, Stored } from "../store/port.ts";
import {
  collectionOf,
  type CollectionRecord,
  COLLECTIONS,
  definitionOf,
  tableName,
} from "./catalog.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import {
  type CollectionDefinition,
  completeReplacement,
  type ReplacingDefinition,
} from "./fields.ts";
import { findRecord, type OpenDefinition, redefine } from "./redefine.ts";
import { lockReferences, referencedIds } from "./references.ts";
import { renamesBetween, withoutRenames } from "./renames.ts";
import { findViolations, rulesBetween, type Violation, violationText } from "./violations.ts";

export interface ReplaceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface Replacement {
  readonly definition: ReplacingDefinition;
  /** Throws if the stored definition must not be replaced. */
  assertReplaceable(stored: CollectionDefinition): void;
}

const ATTEMPTS_MAX = 5;

/** Checks documents in the transaction of the change. Throws the errors of `updateCollection`. */
export async function replaceDefinition(
  services: ReplaceServices,
  projectId: Id,
  replacement: Replacement,
): Promise<DefinitionStep> {
  for (let attempt = 1;; attempt++) {
    try {
      return await tryReplace(services, projectId, replacement);
    } catch (error) {
      if (!(error instanceof Outdated || error instanceof UniqueViolation)) throw error;
      if (attempt < ATTEMPTS_MAX) continue;
      throw new StoreUnavailable("Other requests are changing the definition", { cause: error });
    }
  }
}

async function tryReplace(
  services: ReplaceServices,
  projectId: Id,
  replacement: Replacement,
): Promise<DefinitionStep> {
  const { definition: { name }, assertReplaceable } = replacement;
  const records = services.engine.records<CollectionRecord>(projectId, COLLECTIONS);
  const stored = await findRecord(records, name);
  const { records: redefines } = collectionOf(stored);
  await buildIndexesAhead(services, projectId, { stored, replacement });
  return await redefine(services, projectId, { name, redefines }, async (opened) => {
    const before = definitionOf(opened.stored.value);
    assertReplaceable(before);
    const step = definitionStep(before, replacement.definition);
    await storeDefinition(services, opened, step);
    return step;
  });
}

export interface DefinitionStep {
  readonly before: CollectionDefinition;
  readonly definition: CollectionDefinition;
  readonly renames: readonly FieldRename[];
}

function definitionStep(before: CollectionDefinition, given: ReplacingDefinition): DefinitionStep {
  const full = completeReplacement(before, given);
  return { before, definition: withoutRenames(full), renames: renamesBetween(before, full) };
}

/** Builds large indexes while others can write. Throws the problems of the change first. */
async function buildIndexesAhead(
  { engine }: ReplaceServices,
  projectId: Id,
  { stored, replacement: { definition: given, assertReplaceable } }: {
    readonly stored: Stored<CollectionRecord>;
    readonly replacement: Replacement;
  },
): Promise<void> {
  const before = collectionOf(stored);
  assertReplaceable(before.definition);
  const { definition, renames } = definitionStep(before.definition, given);
  const { records: after } = compileCollection(definition, {
    storedAs: tableName(stored.value),
    renames,
  });
  const buildIndexes = await engine.concurrentIndexBuild(projectId, after);
  if (buildIndexes === null) return;
  await referencedIds(engine.records(projectId, COLLECTIONS), definition);
  const documents = engine.records<StoredDocument>(projectId, before.records);
  assertNoViolations(
    await findViolations(documents, rulesBetween(before.definition, definition, { renames })),
  );
  await buildIndexes();
}

async function storeDefinition(
  { clock }: ReplaceServices,
  { tx, records, stored, version }: OpenDefinition,
  { definition, renames }: DefinitionStep,
): Promise<void> {
  await lockReferences(records, definition);
  const before = collectionOf(stored);
  const after = compileCollection(definition, {
    version,
    storedAs: tableName(stored.value),
    renames,
  });
  const rules = rulesBetween(before.definition, definition, { renames });
  assertNoViolations(await findViolations(tx.records(before.records), rules));
  await records.updateOne(eq("_id", stored.value._id), {
    set: { definition: asJson(definition), updatedAt: timestamp(clock) },
  });
  await tx.define(after.records, before.records);
}

/** Throws `DEFINITION_CONFLICT`. */
export function assertNoViolations(found: readonly Violation[]): void {
  if (found.length === 0) return;
  throw new Problem("DEFINITION_CONFLICT", {
    message: "Stored documents do not fit the new definition. " +
      found.map((one) => `${one.id}: ${violationText(one)}.`).join(" "),
    faults: found.map(({ fault }) => fault),
  });
}

/** Changes only the type, because interfaces are not assignable to plain JSON. */
export const asJson = (definition: CollectionDefinition): CollectionRecord["definition"] =>
  parseJson(JSON.stringify(definition)) as CollectionRecord["definition"];
