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
  placeOf,
} from "./catalog.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import {
  type CollectionDefinition,
  definitionReplacing,
  type ReplacingDefinition,
} from "./fields.ts";
import { findRecord, redefine, type Redefining } from "./redefine.ts";
import { holdReferences, referencedIds } from "./references.ts";
import { renamesBetween, withoutRenames } from "./renames.ts";
import { findViolations, newRules, type Violation, whyOf } from "./violations.ts";

export interface ReplaceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface Replacement {
  /** As it is given, with what is renamed. */
  readonly definition: ReplacingDefinition;
  /** Throws where the stored definition is not one to be replaced. */
  admit(stored: CollectionDefinition): void;
}

/** How often a change begins anew that others have overtaken. */
const TRIES = 5;

/**
 * Replaces a stored definition in one transaction, in which stored documents are compared with the
 * new one, and resolves to what was done. Throws as `updateCollection` does.
 */
export async function replaceDefinition(
  services: ReplaceServices,
  projectId: Id,
  replacement: Replacement,
): Promise<DefinitionStep> {
  for (let tries = 1;; tries++) {
    try {
      return await attempt(services, projectId, replacement);
    } catch (error) {
      if (!(error instanceof Outdated || error instanceof UniqueViolation)) throw error;
      if (tries < TRIES) continue;
      throw new StoreUnavailable("Others are changing the definition", { cause: error });
    }
  }
}

async function attempt(
  services: ReplaceServices,
  projectId: Id,
  replacement: Replacement,
): Promise<DefinitionStep> {
  const { definition: { name }, admit } = replacement;
  const records = services.engine.records<CollectionRecord>(projectId, COLLECTIONS);
  const stored = await findRecord(records, name);
  const { records: redefines } = collectionOf(stored);
  await makeIndexesAhead(services, projectId, { stored, replacement });
  return await redefine(services, projectId, { name, redefines }, async (redefining) => {
    const before = definitionOf(redefining.stored.value);
    admit(before);
    const step = stepBetween(before, replacement.definition);
    await store(services, redefining, step);
    return step;
  });
}

/** What leads from one definition to another one. */
export interface DefinitionStep {
  readonly before: CollectionDefinition;
  readonly definition: CollectionDefinition;
  readonly renames: readonly FieldRename[];
}

function stepBetween(before: CollectionDefinition, given: ReplacingDefinition): DefinitionStep {
  const whole = definitionReplacing(before, given);
  return { before, definition: withoutRenames(whole), renames: renamesBetween(before, whole) };
}

/** Makes indexes that take long while others write, unless documents do not fit the definition. */
async function makeIndexesAhead(
  { engine }: ReplaceServices,
  projectId: Id,
  { stored, replacement: { definition: given, admit } }: {
    readonly stored: Stored<CollectionRecord>;
    readonly replacement: Replacement;
  },
): Promise<void> {
  const before = collectionOf(stored);
  admit(before.definition);
  const { definition, renames } = stepBetween(before.definition, given);
  const { records: after } = compileCollection(definition, {
    storedAs: placeOf(stored.value),
    renames,
  });
  const make = await engine.indexesAhead(projectId, after);
  if (make === null) return;
  await referencedIds(engine.records(projectId, COLLECTIONS), definition);
  const documents = engine.records<StoredDocument>(projectId, before.records);
  refuseViolations(
    await findViolations(documents, newRules(before.definition, definition, { renames })),
  );
  await make();
}

/** In the transaction. */
async function store(
  { clock }: ReplaceServices,
  { tx, records, stored, version }: Redefining,
  { definition, renames }: DefinitionStep,
): Promise<void> {
  await holdReferences(records, definition);
  const before = collectionOf(stored);
  const after = compileCollection(definition, {
    version,
    storedAs: placeOf(stored.value),
    renames,
  });
  const rules = newRules(before.definition, definition, { renames });
  refuseViolations(await findViolations(tx.records(before.records), rules));
  await records.updateOne(eq("_id", stored.value._id), {
    set: { definition: asJson(definition), updatedAt: timestamp(clock) },
  });
  await tx.define(after.records, before.records);
}

/** Throws `DEFINITION_CONFLICT` if there are any. */
export function refuseViolations(found: readonly Violation[]): void {
  if (found.length === 0) return;
  throw new Problem("DEFINITION_CONFLICT", {
    message: "Stored documents do not fit the new definition. " +
      found.map((one) => `${one.id}: ${whyOf(one)}.`).join(" "),
    faults: found.map(({ fault }) => fault),
  });
}

/** A definition is plain JSON; its interfaces only lack an index signature. */
export const asJson = (definition: CollectionDefinition): CollectionRecord["definition"] =>
  parseJson(JSON.stringify(definition)) as CollectionRecord["definition"];
