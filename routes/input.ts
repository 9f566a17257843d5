import { type BodyLimits, readJson, readJsonIfAny } from "@/lib/http/body.ts";
import { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";
import type { ParseContext, ParsedBody, SchemaBody } from "@/openapi/contract.ts";
import { parseInput } from "@/openapi/inputs.ts";

/** Reads the body of one request, within the limits of its operation. */
export type ReadBody = <T>(
  read: (request: Request, limits: BodyLimits) => Promise<T>,
) => Promise<T>;

type Body<B> = SchemaBody<B> | ParsedBody<B>;

interface RequestContext extends ParseContext {
  readonly headers: Headers;
}

/** Whether it may be left out: what is missing may be refused as a problem of the operation's own. */
export const mayBeMissing = ({ optional, problem }: Pick<Body<unknown>, "optional" | "problem">) =>
  optional === true || problem !== undefined;

/** The JSON body as the contract has it read. */
export async function inputOf<B>(
  body: Body<B>,
  readBody: ReadBody,
  { headers, ...context }: RequestContext,
): Promise<B> {
  const isOverridden = body.overriddenBy !== undefined && headers.get(body.overriddenBy);
  if (isOverridden) return parsed(body, undefined, context);
  try {
    const value = mayBeMissing(body) ? await readBody(readJsonIfAny) : await readBody(readJson);
    return parsed(body, value, context);
  } catch (error) {
    const isIgnored = body.lenient && error instanceof Problem && error.status < 500;
    if (isIgnored) return parsed(body, undefined, context);
    throw error;
  }
}

function parsed<B>(body: Body<B>, value: Json | undefined, context: ParseContext): B {
  if (body.parse === undefined) return parseInput(body.schema, value, body);
  if (!isObject(value)) throw new Problem("INVALID_BODY", { message: "Send one JSON object." });
  return body.parse(value, context);
}
