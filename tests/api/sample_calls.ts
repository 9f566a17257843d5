import { buildDocument } from "@/openapi/document.ts";
import type { Call } from "../support/conforming_client.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { content: { "application/json": { example: unknown } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** One call of an operation as its page in the reference shows it, without credentials. */
export interface Sample {
  readonly operationId: string;
  /** The path with its parameters in braces. */
  readonly template: string;
  /** Names of the security schemes of each alternative; none for what anyone may call. */
  readonly security: readonly (readonly string[])[];
  readonly call: Call;
  /** The statuses that the operation declares. */
  readonly statuses: readonly number[];
}

/** A sample of every operation of the document: whatever is added to it is in here too. */
export function sampleCalls(): Sample[] {
  const { paths } = buildDocument() as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => sample(template, method, operation))
  );
}

function sample(template: string, method: string, operation: Operation): Sample {
  const { operationId, security, parameters = [], requestBody, responses } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(String(parameter?.example ?? "sample"));
  });
  const body = requestBody?.content["application/json"].example;
  return {
    operationId,
    template,
    security: security.map((alternative) => Object.keys(alternative)),
    call: { method: method.toUpperCase(), path, ...(body !== undefined && { body }) },
    statuses: Object.keys(responses).map(Number),
  };
}

export const takesKey = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("apiKey"));

export const takesKeyInQuery = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("apiKeyInQuery"));

export const takesToken = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("accessToken"));
