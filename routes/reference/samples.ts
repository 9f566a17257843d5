import { CONTRACTS } from "@/openapi/document.ts";
import { EXAMPLE_KEYS } from "@/openapi/introduction.ts";
import { fileKey, secretKey } from "@/openapi/security.ts";
import type { Parameter, ShownOperation } from "./document.ts";

/** One request as it can be sent. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** JSON, or null for none; "file" for bytes. */
  readonly body: { readonly json: unknown } | "file" | null;
}

export interface Sample {
  readonly language: string;
  readonly text: string;
}

/** What a parameter is sent as where nobody says otherwise. */
export const exampleOf = ({ example, schema }: Pick<Parameter, "example" | "schema">): string => {
  const value = example ?? schema.example ?? schema.default ?? schema.enum?.[0];
  if (value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** Whether every way to call the operation needs this scheme. */
export const needs = ({ security }: ShownOperation, scheme: string): boolean =>
  security.length > 0 && security.every((schemes) => schemes.includes(scheme));

/** Whether one way to call the operation needs this scheme. */
export const takes = ({ security }: ShownOperation, scheme: string): boolean =>
  security.some((schemes) => schemes.includes(scheme));

/** What the secret key is meant for first, also where signed-in users may do some of it. */
const BY_SECRET_KEY = new Set(
  CONTRACTS.filter(({ security }) =>
    [secretKey, fileKey].some((one) => one.guard === security.guard)
  ).map(({ operationId }) => operationId),
);

/** The key that the operation is shown with. */
export const exampleKey = ({ operationId }: ShownOperation): string =>
  BY_SECRET_KEY.has(operationId) ? EXAMPLE_KEYS.secret : EXAMPLE_KEYS.publishable;

/** The example of the operation, in the languages that most people use. */
export function samples(operation: ShownOperation, serverUrl: string): Sample[] {
  return samplesOf(exampleCall(operation, { serverUrl, key: exampleKey(operation) }));
}

/** The same request in each language. */
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
  /** Parameters that it has though they may be left out. */
  readonly query?: Readonly<Record<string, string>>;
}

export function exampleCall(
  operation: ShownOperation,
  { serverUrl, key, query: more = {} }: CallOptions,
): Call {
  const { parameters, body, method } = operation;
  const required = parameters.filter((one) => one.required);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return parameter === undefined ? whole : encodeURI(exampleOf(parameter));
  });
  const query = new URLSearchParams(
    required.filter((one) => one.in === "query").map((one) => [one.name, exampleOf(one)]),
  );
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  if (takes(operation, "apiKeyInQuery")) query.set("key", EXAMPLE_KEYS.publishable);
  const json = body?.content["application/json"];
  return {
    method,
    url: `${serverUrl}${path}${query.size > 0 ? `?${query}` : ""}`,
    headers: [
      ...(takes(operation, "apiKey") && !takes(operation, "apiKeyInQuery")
        ? [["x-api-key", key] as const]
        : []),
      ...(needs(operation, "accessToken")
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

/** Of an operation for accounts: programs send a personal access token where one may be sent. */
function accountHeaders(operation: ShownOperation): (readonly [string, string])[] {
  if (takes(operation, "apiKey")) return [];
  if (takes(operation, "accountToken")) {
    return [["authorization", "Bearer <personalAccessToken>"]];
  }
  return takes(operation, "dashboardSession") ? [["cookie", "corbel_session=<session>"]] : [];
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, headers, body }: Call): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${inShell(url)}`,
    ...headers.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === "file" ? ["--data-binary @cat.png"] : []),
    ...(body !== null && body !== "file" ? [`-d ${inShell(JSON.stringify(body.json))}`] : []),
  ];
  return lines.join(" \\\n  ");
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ");

/** A browser sends the cookies of this server itself, and lets no program set them. */
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

/** A JSON value as Python writes it. @param depth Of the line that it begins in. */
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
