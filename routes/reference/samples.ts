import { CONTRACTS } from "@/openapi/document.ts";
import { EXAMPLE_KEYS } from "@/openapi/introduction.ts";
import { fileKey, secretKey } from "@/openapi/security.ts";
import type { Parameter, ReferenceOperation } from "./document.ts";

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** JSON, "file" for bytes, or null for a request without a body. */
  readonly body: { readonly json: unknown } | "file" | null;
}

export interface Sample {
  readonly language: string;
  readonly text: string;
}

export const exampleOf = ({ example, schema }: Pick<Parameter, "example" | "schema">): string => {
  const value = example ?? schema.example ?? schema.default ?? schema.enum?.[0];
  if (value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** Whether all alternatives to call the operation require the security scheme. */
export const requiresScheme = ({ security }: ReferenceOperation, scheme: string): boolean =>
  security.length > 0 && security.every((schemes) => schemes.includes(scheme));

export const acceptsScheme = ({ security }: ReferenceOperation, scheme: string): boolean =>
  security.some((schemes) => schemes.includes(scheme));

/** Operations shown with the secret key, although signed-in users may call some of them. */
const BY_SECRET_KEY = new Set(
  CONTRACTS.filter(({ security }) =>
    [secretKey, fileKey].some((one) => one.guard === security.guard)
  ).map(({ operationId }) => operationId),
);

export const exampleKey = ({ operationId }: ReferenceOperation): string =>
  BY_SECRET_KEY.has(operationId) ? EXAMPLE_KEYS.secret : EXAMPLE_KEYS.publishable;

export function samples(operation: ReferenceOperation, serverUrl: string): Sample[] {
  return samplesOf(exampleCall(operation, { serverUrl, key: exampleKey(operation) }));
}

export function samplesOf(call: Call): Sample[] {
  return [
    { language: "curl", text: curl(call) },
    { language: "JavaScript", text: javascript(call) },
    { language: "Python", text: python(call) },
  ];
}

interface CallOptions {
  readonly serverUrl: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
}

export function exampleCall(
  operation: ReferenceOperation,
  { serverUrl, key, query: more = {} }: CallOptions,
): Call {
  const { parameters, body, method } = operation;
  const required = parameters.filter((one) => one.required);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return parameter === undefined ? placeholder : encodeURI(exampleOf(parameter));
  });
  const query = new URLSearchParams(
    required.filter((one) => one.in === "query").map((one) => [one.name, exampleOf(one)]),
  );
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  if (acceptsScheme(operation, "apiKeyInQuery")) query.set("key", EXAMPLE_KEYS.publishable);
  const json = body?.content["application/json"];
  return {
    method,
    url: `${serverUrl}${path}${query.size > 0 ? `?${query}` : ""}`,
    headers: [
      ...(acceptsScheme(operation, "apiKey") && !acceptsScheme(operation, "apiKeyInQuery")
        ? [["x-api-key", key] as const]
        : []),
      ...(requiresScheme(operation, "accessToken")
        ? [["authorization", "Bearer <accessToken>"] as const]
        : []),
      ...accountHeaders(operation),
      ...required.filter((one) => one.in === "header")
        .map((one) => [one.name, exampleOf(one)] as const),
      ...(json !== undefined ? [["content-type", "application/json"] as const] : []),
    ],
    body: json !== undefined ? { json: json.example } : body !== null ? "file" : null,
  };
}

/** Returns the header with the account's credentials, a personal access token if it is accepted. */
function accountHeaders(operation: ReferenceOperation): (readonly [string, string])[] {
  if (acceptsScheme(operation, "apiKey")) return [];
  if (acceptsScheme(operation, "accountToken")) {
    return [["authorization", "Bearer <personalAccessToken>"]];
  }
  return acceptsScheme(operation, "dashboardSession")
    ? [["cookie", "corbel_session=<session>"]]
    : [];
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, headers, body }: Call): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellQuoted(url)}`,
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === "file" ? ["--data-binary @cat.png"] : []),
    ...(body !== null && body !== "file" ? [`-d ${shellQuoted(JSON.stringify(body.json))}`] : []),
  ];
  return lines.join(" \\\n  ");
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ");

/** Omits cookies, which browsers send themselves and do not let scripts set. */
function javascript({ method, url, headers, body }: Call): string {
  const own = Object.fromEntries(headers.filter(([name]) => name !== "cookie"));
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(Object.keys(own).length > 0 ? [`headers: ${indented(JSON.stringify(own, null, 2))},`] : []),
    ...(body === "file" ? ["body: file,"] : []),
    ...(body !== null && body !== "file"
      ? [`body: JSON.stringify(${indented(JSON.stringify(body.json, null, 2))}),`]
      : []),
  ];
  const rest = options.length === 0 ? "" : `, {\n  ${options.join("\n  ")}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${rest});\n` +
    "console.log(response.status, await response.text());";
}

function python({ method, url, headers, body }: Call): string {
  const options = [
    ...(headers.length > 0 ? [`    headers=${pythonValue(Object.fromEntries(headers), 1)},`] : []),
    ...(body === "file" ? ['    data=open("cat.png", "rb"),'] : []),
    ...(body !== null && body !== "file" ? [`    json=${pythonValue(body.json, 1)},`] : []),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${JSON.stringify(url)},`;
  return `import requests\n\nresponse = ${[call, ...options].join("\n")}\n)\n` +
    "print(response.status_code, response.text)";
}

/** Returns a JSON value in Python's syntax. @param depth Indentation of its first line. */
function pythonValue(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const entries = Array.isArray(value)
    ? value.map((one) => pythonValue(one, depth + 1))
    : Object.entries(value).map(([name, one]) =>
      `${JSON.stringify(name)}: ${pythonValue(one, depth + 1)}`
    );
  if (entries.length === 0) return `${open}${close}`;
  const pad = "    ".repeat(depth + 1);
  return `${open}\n${entries.map((one) => `${pad}${one},\n`).join("")}${
    "    ".repeat(depth)
  }${close}`;
}
