import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";
import { compileCollections } from "./save_collection.ts";

export interface FileUse {
  readonly collection: string;
  readonly field: string;
  /** Number without the trash. */
  readonly documents: number;
  readonly inTrash: number;
}

export async function findFileUses(
  { engine }: { readonly engine: Engine },
  projectId: Id,
  path: string,
): Promise<FileUse[]> {
  const uses: FileUse[] = [];
  for (const { definition, files, records } of await compileCollections({ engine }, projectId)) {
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
