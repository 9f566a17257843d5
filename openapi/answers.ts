import type { ZodType } from "zod";
import type { Success } from "./contract.ts";

/** What `data` of an envelope holds. */
type Shown = Required<Pick<Success, "example">> & { readonly data: ZodType };

/** The only answer of an operation that is no refusal, in the envelope with this message. */
export const answered = (message: string, description: string, shown: Shown): [Success] => [
  { status: 200, description, message, ...shown },
];

/** As {@linkcode answered}, of an operation that creates something. */
export const created = (message: string, description: string, shown: Shown): [Success] => [
  { status: 201, description, message, ...shown },
];
