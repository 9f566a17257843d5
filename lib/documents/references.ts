import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Id, Records } from "../store/port.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type CollectionRecord, readCollectionNames } from "./catalog.ts";
import { type Reference, referencesIn } from "./definition.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";

/** Throws `INVALID_DEFINITION`. */
export async function referencedIds(
  records: Records<CollectionRecord>,
  definition: CollectionDefinition,
): Promise<Map<string, Id>> {
  const references = referencesIn(definition.fields);
  const found = new Map<string, Id>();
  for (const name of new Set(references.map(({ collection }) => collection))) {
    if (name === "users" || name === definition.name) continue;
    const target = await records.findOne(eq("nameLower", name.toLowerCase()));
    if (target === null || target.value.name !== name) {
      const hint = didYouMean(name, [...await readCollectionNames(records), "users"]);
      throw missingReference(name, references, hint);
    }
    found.set(name, target.value._id);
  }
  return found;
}

/** Prevents their deletion until the transaction ends. Throws `INVALID_DEFINITION`. */
export async function lockReferences(
  records: Records<CollectionRecord>,
  definition: CollectionDefinition,
): Promise<void> {
  for (const [name, id] of await referencedIds(records, definition)) {
    await records.updateOne(eq("_id", id), { set: { name } }); // Changes nothing.
  }
}

const missingReference = (name: string, references: readonly Reference[], hint: string): Problem =>
  new Problem("INVALID_DEFINITION", {
    message: `A Ref names the collection ${
      quoted(name)
    }, which does not exist: create it first.${hint}`,
    faults: references.filter(({ collection }) => collection === name)
      .map(({ path }) => ({ path, message: "names a collection that does not exist" })),
  });

export interface CollectionRename {
  readonly from: string;
  readonly to: string;
}

export function withNewReference<T extends ItemDefinition>(field: T, rename: CollectionRename): T {
  const { ref, fields, items } = field;
  return {
    ...field,
    ...(ref === rename.from && { ref: rename.to }),
    ...(fields &&
      { fields: fields.map((one: FieldDefinition) => withNewReference(one, rename)) }),
    ...(items && { items: withNewReference(items, rename) }),
  };
}
