import { EXAMPLE_ID } from "@/openapi/schemas/values.ts";

interface ClientCallInput {
  readonly collectionName: string;
  /** Example of the operation's body, or null. */
  readonly body: unknown;
}

const CALLS: Readonly<Record<string, (documents: string, body: string) => string>> = {
  List: (documents) =>
    `const { items, total } = await ${documents}.list({ sort: "-createdAt", limit: 20 });`,
  Aggregate: (documents) => `const { groups } = await ${documents}.aggregate({ count: true });`,
  Get: (documents) => `const document = await ${documents}.get("${EXAMPLE_ID}");`,
  Create: (documents, body) => `const document = await ${documents}.create(${body});`,
  CreateMany: (documents, body) => `const ids = await ${documents}.createMany(${body});`,
  Replace: (documents, body) => `await ${documents}.replace("${EXAMPLE_ID}", ${body});`,
  Patch: (documents, body) => `await ${documents}.patch("${EXAMPLE_ID}", ${body});`,
  Delete: (documents) => `await ${documents}.delete("${EXAMPLE_ID}");`,
  Recover: (documents) => `await ${documents}.recover("${EXAMPLE_ID}");`,
  Listen: (documents) =>
    `const live = ${documents}.live({ limit: 20 }, {\n  items: (items, total) => {},\n});`,
};

/** Returns a call of the client, or null for an operation that it does not have. */
export function clientCall(
  operation: string,
  { collectionName, body }: ClientCallInput,
): string | null {
  const call = CALLS[operation];
  if (call === undefined) return null;
  const sent = operation === "CreateMany" ? (body as { documents: unknown }).documents : body;
  return call(`corbel.from(${JSON.stringify(collectionName)})`, JSON.stringify(sent, null, 2));
}
