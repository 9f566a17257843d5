import { CorbelError } from "./errors.ts";

/**
 * Refuses what is not the id of a document before anything is asked: the address of an empty id is
 * that of the list.
 *
 * @param operation The index of the operation in a batch that has the id.
 */
export function checkId(id: unknown, operation?: number): void {
  if (typeof id === "string" && /^[0-9a-f]{24}$/i.test(id)) return;
  const given = typeof id === "string" ? JSON.stringify(id.slice(0, 50)) : `of type ${typeof id}`;
  throw new CorbelError({
    code: "INVALID_ID",
    message: `The id must be 24 hexadecimal digits, and it is ${given}.`,
    ...(operation !== undefined && { operation }),
  });
}
