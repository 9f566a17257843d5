import { type Db, ObjectId } from "mongodb";
import type { Definition, Id } from "../port.ts";
import { MAX_TIME } from "./connect.ts";
import { CODES, hasCode } from "./error_codes.ts";
import { isMissing } from "./indexes.ts";
import { VERSION } from "./hidden_members.ts";

/** The write concern of all writes. The driver adds it only to its own commands. */
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

/**
 * Implements `Engine.fence` by the collection's validator. The server changes it when the
 * collection is not locked, so no write that passed the previous validator is still in progress.
 * Records without a version were written by other programs.
 */
export async function fence(
  db: Db,
  { name, version }: Pick<Definition, "name"> & { readonly version: Id },
): Promise<void> {
  const validation = {
    validator: { [VERSION]: { $in: [null, new ObjectId(version)] } },
    validationLevel: "strict",
    validationAction: "error",
  } as const;
  const change = () => db.command({ collMod: name, ...validation, ...MAX_TIME, ...DURABLE });
  try {
    await change();
  } catch (error) {
    if (!isMissing(error)) throw error;
    try {
      await db.createCollection(name, { ...validation, ...MAX_TIME });
    } catch (error) {
      if (!hasCode(error, CODES.NamespaceExists)) throw error;
      await change();
    }
  }
}
