import { CorbelError } from "./errors.ts";

/** Throws `INVALID_ID` before a request, because the address with an empty id is the list's. */
export function checkId(id: unknown, operation?: number): void {
  if (typeof id === "string" && /^[0-9a-f]{24}$/i.test(id)) return;
  const given = typeof id === "string" ? JSON.stringify(id.slice(0, 50)) : `of type ${typeof id}`;
  throw new CorbelError({
    code: "INVALID_ID",
    message: `The id must be 24 hexadecimal digits, and it is ${given}.`,
    ...(operation !== undefined && { operation }),
  });
}
