import type { ProblemCode } from "@/lib/problems.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { buildDocument, CONTRACTS } from "@/openapi/document.ts";
import { parametersOf } from "@/openapi/shared_parts.ts";
import type { Call } from "../support/conforming_client.ts";
import type { TestAccount } from "../support/dashboard.ts";
import type { TestProject, TestUser } from "../support/test_app.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example?: unknown;
}

type DeclaredOperation = Omit<Operation, "parameters"> & {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
};

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

/** A call of an operation as the reference shows it, without credentials. */
export interface Sample {
  readonly operationId: string;
  readonly template: string;
  /** The security schemes of each alternative, or an empty list if anyone may call. */
  readonly security: readonly (readonly string[])[];
  readonly call: Call;
  /** Whether the call is valid without its body. */
  readonly bodyIsOptional: boolean;
  /** The code for a body of another shape. */
  readonly misshapen: ProblemCode;
  readonly setsCookie: boolean;
  readonly codes: readonly ProblemCode[];
  readonly statuses: readonly number[];
}

/** Returns a sample of every operation of the document, including those added later. */
export function sampleCalls(): Sample[] {
  const document = buildDocument() as unknown as {
    paths: Record<string, Record<string, DeclaredOperation>>;
    components: { parameters: Record<string, Parameter> };
  };
  return Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      sample(template, method, {
        ...operation,
        parameters: parametersOf(document, operation.parameters),
      })
    )
  );
}

/** Parameters of operations that need one of several. */
const ONE_OF_SEVERAL: Readonly<Record<string, [string, string][]>> = {
  aggregateDocuments: [["count", "true"]],
  aggregateProjectDocuments: [["count", "true"]],
};

function sample(template: string, method: string, operation: Operation): Sample {
  const { operationId, security, parameters, requestBody, responses } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(String(parameter?.example ?? "sample"));
  });
  const query = new URLSearchParams([
    ...parameters.filter((one) => one.in === "query" && one.required)
      .map(({ name, example }): [string, string] => [name, String(example)]),
    ...ONE_OF_SEVERAL[operationId] ?? [],
  ]);
  const contract = CONTRACTS.find((contract) => contract.operationId === operationId)!;
  const body = contract.body?.example;
  return {
    operationId,
    template,
    security: security.map((alternative) => Object.keys(alternative)),
    bodyIsOptional: requestBody?.required === false,
    setsCookie: Object.values(responses).some(({ headers }) => "set-cookie" in (headers ?? {})),
    misshapen: contract.body?.problem ?? "INVALID_BODY",
    codes: contract.codes,
    call: {
      method: method.toUpperCase(),
      path: query.size === 0 ? path : `${path}?${query}`,
      ...(body !== undefined && { body }),
    },
    statuses: Object.keys(responses).map(Number),
  };
}

export const takesKey = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("apiKey"));

export const takesKeyInQuery = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("apiKeyInQuery"));

export const takesToken = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("accessToken"));

export const takesSession = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("dashboardSession"));

export const takesAccountToken = ({ security }: Sample): boolean =>
  security.some((alternative) => alternative.includes("accountToken"));

/** Whether only the dashboard's own pages may send the call. */
export const isDashboards = ({ codes }: Sample): boolean => codes.includes("CROSS_SITE_REQUEST");

export interface Callers extends Pick<TestProject, "publishableKey" | "secretKey"> {
  user(): Promise<Pick<TestUser, "token">>;
  owner(): Promise<Pick<TestAccount, "cookie">>;
}

/**
 * Returns headers with which a sample passes its guard: the secret key, the publishable key with a
 * new user's token where only a user may act, or the owner's session for the dashboard.
 */
export async function guardHeaders(
  sample: Sample,
  { publishableKey, secretKey, user, owner }: Callers,
): Promise<Record<string, string>> {
  if (isDashboards(sample)) return { cookie: (await owner()).cookie };
  const { security } = sample;
  const isForUsers = security.length > 0 && security.every((one) => one.includes("accessToken"));
  if (!isForUsers) return { "x-api-key": secretKey };
  return { "x-api-key": publishableKey, authorization: `Bearer ${(await user()).token}` };
}

/** Replaces the project that a sample names in its path and file paths. */
export const inProject = (call: Call, projectId: string): Call =>
  parseJson(
    JSON.stringify(call)
      .replace(/(?<=projects\/)[0-9a-f]{24}/, projectId)
      .replace(/[0-9a-f]{24}(?=(?:\/|%2F)[0-9a-f]{8}-)/, projectId),
  ) as unknown as Call; // The shape is unchanged.
