import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";
import { storedCollections } from "./save_collection.ts";

/** A field of a collection whose documents hold a file. */
export interface FileUse {
  readonly collection: string;
  /** Its path. */
  readonly field: string;
  readonly documents: number;
  /** Those in the trash besides. */
  readonly inTrash: number;
}

/** Where documents hold a file: fields with `file: true`, which have an index. */
export async function findFileUses(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  path: string,
): Promise<FileUse[]> {
  const uses: FileUse[] = [];
  for (const { definition, files, records } of await storedCollections({ engine }, projectId)) {
    const documents = engine.records<StoredDocument>(projectId, records);
    for (const { path: field } of files) {
      const count = (isDeleted: boolean) =>
        documents.count(and(eq(field, path), eq("isDeleted", isDeleted)));
      const [live, inTrash] = [await count(false), await count(true)];
      if (live + inTrash === 0) continue;
      uses.push({ collection: definition.name, field, documents: live, inTrash });
    }
  }
  return uses;
}
