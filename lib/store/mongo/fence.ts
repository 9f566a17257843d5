import { type Db, ObjectId } from "mongodb";
import type { Definition, Id } from "../port.ts";
import { LIMITED } from "./connect.ts";
import { CODES, hasCode } from "./error_codes.ts";
import { isMissing } from "./indexes.ts";
import { VERSION } from "./hidden_members.ts";

/** As all that is written; the driver adds it only to commands of its own. */
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

/**
 * `Engine.fence`: the collection's validator. The server changes it when nobody holds the
 * collection, so no write is under way that it has let through before. Records without a version
 * are those of other programs, which know of none.
 */
export async function fence(
  db: Db,
  { name, version }: Pick<Definition, "name"> & { readonly version: Id },
): Promise<void> {
  const refusal = {
    validator: { [VERSION]: { $in: [null, new ObjectId(version)] } },
    validationLevel: "strict",
    validationAction: "error",
  } as const;
  const change = () => db.command({ collMod: name, ...refusal, ...LIMITED, ...DURABLE });
  try {
    await change();
  } catch (error) {
    if (!isMissing(error)) throw error;
    try {
      await db.createCollection(name, { ...refusal, ...LIMITED });
    } catch (error) {
      if (!hasCode(error, CODES.NamespaceExists)) throw error;
      await change();
    }
  }
}
