import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Id, Records } from "../store/port.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { collectionNames, type CollectionRecord } from "./catalog.ts";
import { type Reference, referencesIn } from "./definition.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";

/** Ids of the collections that a definition refers to. Throws `INVALID_DEFINITION`. */
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
      const hint = didYouMean(name, [...await collectionNames(records), "users"]);
      throw leadsNowhere(name, references, hint);
    }
    found.set(name, target.value._id);
  }
  return found;
}

/** The same within a transaction, until whose end none of them can be deleted. */
export async function holdReferences(
  records: Records<CollectionRecord>,
  definition: CollectionDefinition,
): Promise<void> {
  for (const [name, id] of await referencedIds(records, definition)) {
    await records.updateOne(eq("_id", id), { set: { name } }); // A change of nothing.
  }
}

const leadsNowhere = (name: string, references: readonly Reference[], hint: string): Problem =>
  new Problem("INVALID_DEFINITION", {
    message: `A Ref names the collection ${
      shown(name)
    }, which does not exist: create it first.${hint}`,
    faults: references.filter(({ collection }) => collection === name)
      .map(({ path }) => ({ path, message: "names a collection that does not exist" })),
  });

export interface CollectionRename {
  readonly from: string;
  readonly to: string;
}

/** A field that refers to a collection by its new name, whatever is within it too. */
export function withReference<T extends ItemDefinition>(field: T, rename: CollectionRename): T {
  const { ref, fields, items } = field;
  return {
    ...field,
    ...(ref === rename.from && { ref: rename.to }),
    ...(fields && { fields: fields.map((one: FieldDefinition) => withReference(one, rename)) }),
    ...(items && { items: withReference(items, rename) }),
  };
}
