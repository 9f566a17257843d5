import type { Context } from "hono";
import { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";
import type { ParseContext, ParsedBody, SchemaBody } from "@/openapi/contract.ts";
import { parseInput, readHeaders, readParams } from "@/openapi/inputs.ts";
import type { AppEnv, Operation } from "./handler.ts";
import type { RequestBody } from "./request_body.ts";

type Body<B> = SchemaBody<B> | ParsedBody<B>;

interface RequestContext extends ParseContext {
  readonly headers: Headers;
}

/** Whether it may be left out: what is missing may be refused as a problem of the operation's own. */
export const mayBeMissing = ({ optional, problem }: Pick<Body<unknown>, "optional" | "problem">) =>
  optional === true || problem !== undefined;

type Declared = Pick<Operation<unknown>, "params" | "query" | "headers" | "body">;

/**
 * Reads the path, the query, the headers and the JSON body as the contract says, and puts them where
 * `c.req.valid` finds them. What the contract does not declare is undefined there.
 */
export function inputReader(
  { params: parameters = {}, query, headers, body }: Declared,
): (c: Context<AppEnv>) => Promise<void> {
  const pathParameters = Object.entries(parameters);
  const headerParameters = headers && Object.entries(headers);
  return async (c) => {
    const { req } = c;
    const put = (target: "param" | "query" | "header" | "json", value: unknown): void => {
      if (value !== undefined && value !== null) req.addValidatedData(target, value);
    };
    const params = readParams(pathParameters, (name) => req.param(name)!);
    put("param", params);
    put("query", query?.read(c.get("state").query));
    put("header", headerParameters && readHeaders(headerParameters, req.raw.headers));
    if (body === undefined || body.byHandler) return;
    const context = { headers: req.raw.headers, params, services: c.get("services") };
    put("json", await inputOf(body, c.get("body"), context));
  };
}

/** The JSON body as the contract has it read. */
async function inputOf<B>(
  body: Body<B>,
  sent: Pick<RequestBody, "json" | "jsonIfAny">,
  { headers, ...context }: RequestContext,
): Promise<B> {
  const isOverridden = body.overriddenBy !== undefined && headers.get(body.overriddenBy);
  if (isOverridden) return parsed(body, undefined, context);
  try {
    const value = mayBeMissing(body) ? await sent.jsonIfAny() : await sent.json();
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
