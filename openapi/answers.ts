import type { ZodType } from "zod";
import type { Success } from "./contract.ts";

type AnswerData = Required<Pick<Success, "example">> & { readonly data: ZodType };

/** Returns the only successful answer of an operation, status 200, with this message. */
export const okAnswer = (message: string, description: string, shown: AnswerData): [Success] => [
  { status: 200, description, message, ...shown },
];

/** Returns the only successful answer of an operation that creates something, status 201. */
export const createdAnswer = (
  message: string,
  description: string,
  shown: AnswerData,
): [Success] => [{ status: 201, description, message, ...shown }];
