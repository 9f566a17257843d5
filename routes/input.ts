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

/** Whether the reader accepts a missing body, which the operation may still reject. */
export const canBeMissing = ({ optional, problem }: Pick<Body<unknown>, "optional" | "problem">) =>
  optional === true || problem !== undefined;

type InputContract = Pick<Operation<unknown>, "params" | "query" | "headers" | "body">;

/** Parses the input by the contract for `c.req.valid`. Undeclared parts are undefined. */
export function inputReader(
  { params: parameters = {}, query, headers, body }: InputContract,
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
    put("json", await readJsonBody(body, c.get("body"), context));
  };
}

/** Reads and parses the JSON body. Ignores errors of the client if the contract is lenient. */
async function readJsonBody<B>(
  body: Body<B>,
  sent: Pick<RequestBody, "json" | "jsonIfAny">,
  { headers, ...context }: RequestContext,
): Promise<B> {
  const isOverridden = body.overriddenBy !== undefined && headers.get(body.overriddenBy);
  if (isOverridden) return parseBody(body, undefined, context);
  try {
    const value = canBeMissing(body) ? await sent.jsonIfAny() : await sent.json();
    return parseBody(body, value, context);
  } catch (error) {
    const isIgnored = body.lenient && error instanceof Problem && error.status < 500;
    if (isIgnored) return parseBody(body, undefined, context);
    throw error;
  }
}

function parseBody<B>(body: Body<B>, value: Json | undefined, context: ParseContext): B {
  if (body.parse === undefined) return parseInput(body.schema, value, body);
  if (!isObject(value)) throw new Problem("INVALID_BODY", { message: "Send one JSON object." });
  return body.parse(value, context);
}
