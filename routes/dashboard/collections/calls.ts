import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import type { Json } from "@/lib/store/port.ts";

/** A request to a collection, as an application makes it. */
export interface SampleCall {
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly [name: string]: Json } | null;
}

/** What stands for what only the application knows. */
export const PLACEHOLDERS = {
  publishable: "pk_live_YOUR_KEY",
  secret: "sk_live_YOUR_KEY",
  bearer: "Bearer ACCESS_TOKEN",
  id: "DOCUMENT_ID",
} as const;

/** How a collection's documents are read and written, by whom its access allows it. */
export function callsOf(definition: CollectionDefinition, publicUrl: string): SampleCall[] {
  const { name, rls } = definition;
  const documents = `${publicUrl}/api/data/${name}`;
  const one = `${documents}/${PLACEHOLDERS.id}`;
  const read = credentials("publishable", rls.enabled && rls.mode === "private");
  const write = rls.enabled ? credentials("publishable", true) : credentials("secret", false);
  const written = { ...write, "content-type": "application/json" };
  const sample = sampleOf(definition);
  const [first] = Object.entries(sample);
  return [
    { title: "List, newest first", method: "GET", url: documents, headers: read, body: null },
    {
      title: "Filter and sort",
      method: "GET",
      url: `${documents}?${filterOf(definition)}`,
      headers: read,
      body: null,
    },
    { title: "Create", method: "POST", url: documents, headers: written, body: sample },
    {
      title: "Change",
      method: "PATCH",
      url: one,
      headers: written,
      body: first === undefined ? {} : Object.fromEntries([first]),
    },
    { title: "Delete", method: "DELETE", url: one, headers: write, body: null },
  ];
}

const credentials = (
  key: "publishable" | "secret",
  isSignedIn: boolean,
): Record<string, string> => ({
  "x-api-key": PLACEHOLDERS[key],
  ...(isSignedIn && { authorization: PLACEHOLDERS.bearer }),
});

function filterOf({ fields }: CollectionDefinition): URLSearchParams {
  const { type, key } = fields.find((field) => ["String", "Number"].includes(field.type)) ??
    { type: null, key: "" };
  return new URLSearchParams([
    ...(type === null ? [] : [type === "String" ? [key, "some text"] : [`${key}_gte`, "1"]]),
    ["sort", "-createdAt"],
    ["limit", "20"],
  ]);
}

/** A document that fits; the owner is left to the server. */
function sampleOf({ fields, rls, strict }: CollectionDefinition): { [name: string]: Json } {
  const declared = fields.filter(({ key }) => !(rls.enabled && key === rls.ownerField));
  if (declared.length === 0 && !strict) return { title: "Hello" };
  return membersOf(declared);
}

const membersOf = (fields: readonly FieldDefinition[]): { [name: string]: Json } =>
  Object.fromEntries(fields.map((field) => [field.key, field.default ?? valueOf(field)]));

function valueOf({ type, fields, items }: ItemDefinition): Json {
  switch (type) {
    case "String":
      return "some text";
    case "Number":
      return 1;
    case "Boolean":
      return true;
    case "Date":
      return "2026-01-31T12:00:00Z";
    case "Ref":
      return "0123456789abcdef01234567";
    case "Object":
      return membersOf(fields ?? []);
    case "Array":
      return items === undefined ? [] : [valueOf(items)];
  }
}

/** The call for a shell. */
export function curlOf({ method, url, headers, body }: SampleCall): string {
  const parts = [
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
  ];
  return [`curl ${quoted(url)}`, ...parts].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call for a browser or a server in JavaScript. */
export function fetchOf({ method, url, headers, body }: SampleCall): string {
  const head = Object.entries(headers)
    .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    ...head,
    "  },",
    ...(body === null ? [] : [`  body: JSON.stringify(${indented(body)}),`]),
    "});",
    "const { data } = await response.json();",
  ].join("\n");
}

const indented = (body: object): string => JSON.stringify(body, null, 2).replaceAll("\n", "\n  ");
