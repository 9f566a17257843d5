import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { Outdated, StoreUnavailable, UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { DefinitionBuild, Engine, FieldRename, Id, Records } from "../store/port.ts";
import {
  collectionOf,
  type CollectionRecord,
  COLLECTIONS,
  definitionOf,
  placeOf,
} from "./catalog.ts";
import { type Collection, compileCollection, type StoredDocument } from "./collection.ts";
import {
  type CollectionDefinition,
  definitionReplacing,
  type ReplacingDefinition,
} from "./fields.ts";
import { findRecord, redefine, type Redefining } from "./redefine.ts";
import { holdReferences, referencedIds } from "./references.ts";
import { renamesBetween, withoutRenames } from "./renames.ts";
import {
  findViolations,
  type NewRules,
  newRules,
  type Violation,
  violationOf,
  VIOLATIONS_MAX,
  whyOf,
} from "./violations.ts";

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
 * Replaces a stored definition, and resolves to what was done. What takes long on a large
 * collection is done ahead of the transaction, while others write: stored documents are compared
 * with the new definition, and what it wants of them is built. What was written meanwhile is
 * compared in the transaction. Throws as `updateCollection` does.
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
  await using build = await builtAhead(services, projectId, replacement);
  const isBuilt = build?.written !== undefined;
  return await redefine(services, projectId, name, async (redefining) => {
    const before = definitionOf(redefining.stored.value);
    admit(before);
    const step = stepBetween(before, replacement.definition);
    await store(services, redefining, { ...step, isBuilt });
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

/** Null where there is nothing that takes long. */
async function builtAhead(
  { engine }: ReplaceServices,
  projectId: Id,
  { definition: given, admit }: Replacement,
): Promise<DefinitionBuild | null> {
  const records = engine.records<CollectionRecord>(projectId, COLLECTIONS);
  const stored = await findRecord(records, given.name);
  const before = collectionOf(stored);
  admit(before.definition);
  const { definition, renames } = stepBetween(before.definition, given);
  const storedAs = placeOf(stored.value);
  const { records: after } = compileCollection(definition, { storedAs, renames });
  const rules = newRules(before.definition, definition, { unique: false, renames });
  const allRules = newRules(before.definition, definition, { renames });
  const change = { before: before.records, after, isChecked: allRules !== null };
  await using undo = new AsyncDisposableStack();
  const build = undo.use(await engine.build(projectId, change));
  if (build === null) return null;
  await referencedIds(records, definition);
  const documents = engine.records<StoredDocument>(projectId, before.records);
  refuseViolations(await findViolations(documents, allRules));
  await build.run();
  await catchUp(build, documents, rules);
  undo.move();
  return build;
}

/** What so few were written of meanwhile is left to the transaction. */
const LEFT_MAX = 50;
const WRITTEN_MAX = 1_000;
const ROUNDS_MAX = 50;

/** Compares what was written while a build went on, until there is little of it. */
async function catchUp(
  build: DefinitionBuild,
  documents: Records<StoredDocument>,
  rules: NewRules | null,
): Promise<void> {
  for (let round = 0; build.written !== undefined && round < ROUNDS_MAX; round++) {
    const ids = await build.written(WRITTEN_MAX);
    refuseViolations(await violationsAmong(documents, ids, rules));
    if (ids.length <= LEFT_MAX) return;
  }
}

async function violationsAmong(
  documents: Records<StoredDocument>,
  ids: readonly Id[],
  rules: NewRules | null,
): Promise<Violation[]> {
  const found: Violation[] = [];
  if (rules === null) return found;
  for (const id of ids) {
    const stored = await documents.get(id);
    const violation = stored && violationOf(rules, stored.value);
    if (violation !== null) found.push(violation);
    if (found.length === VIOLATIONS_MAX) break;
  }
  return found;
}

/** In the transaction. */
async function store(
  { clock }: ReplaceServices,
  redefining: Redefining,
  { definition, renames, isBuilt }: DefinitionStep & { readonly isBuilt: boolean },
): Promise<void> {
  const { tx, records, stored, version } = redefining;
  await holdReferences(records, definition);
  const before = collectionOf(stored);
  const after = compileCollection(definition, {
    version,
    storedAs: placeOf(stored.value),
    renames,
  });
  const rules = newRules(before.definition, definition, { renames });
  refuseViolations(
    isBuilt
      ? await violationsSince(redefining, { before, after, rules })
      : await findViolations(tx.records(before.records), rules),
  );
  await records.updateOne(eq("_id", stored.value._id), {
    set: { definition: asJson(definition), updatedAt: timestamp(clock) },
  });
  await tx.define(after.records, before.records);
}

/** Throws `Outdated` where the build does not stand any more. */
async function violationsSince(
  { tx }: Redefining,
  { before, after, rules }: {
    readonly before: Collection;
    readonly after: Collection;
    readonly rules: NewRules | null;
  },
): Promise<Violation[]> {
  const ids = await tx.written?.(after.records) ?? null;
  if (ids === null) throw new Outdated();
  return await violationsAmong(tx.records<StoredDocument>(before.records), ids, rules);
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
